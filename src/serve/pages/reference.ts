import { html } from 'hono/html';
import { TIERS } from '../../base/config/tiers.ts';
import type { ServiceApp } from '../request/context.ts';
import { digits } from './figures.ts';
import { navigation } from './frame.ts';
import { embedded, type Html, ICON, MARK, NOTHING } from './html.ts';

/**
 * Form that sends requests to this service with the reader's key. The key's field has no name, so no form
 * sends it and no browser stores it. Hidden without scripts: the commands below do the same.
 */
const tryItSection = (requests: readonly ReturnType<typeof requestOf>[]): Html =>
  html`<section class="wide" id="try" hidden><h2>Try it</h2>
  <p class="soft small">Sends a real request, which counts against the limits of the key. The key is sent only to this address and is not stored.</p>
  <form id="try-form" autocomplete="off"><input type="password" id="try-key" aria-label="key" placeholder="tl_live_..." autocomplete="off">
    <select id="try-request" aria-label="endpoint">${requests.map(({ method, path }, index) => html`<option value="${index}">${method} ${path.replace(/\?.*/, '')}</option>`)}</select>
    <label class="path">/v1<input id="try-path" aria-label="path" spellcheck="false"></label><button>send</button></form>
  <textarea id="try-body" aria-label="body" rows="3" spellcheck="false" hidden></textarea>
  <p id="try-status" role="status" class="small"></p><pre id="try-response" tabindex="0" aria-label="response" hidden></pre>
  <script type="application/json" id="try-requests">${embedded(requests)}</script></section>`;

type WithoutReferences<T> = T extends { readonly $ref: string }
  ? never
  : T extends object
    ? { readonly [K in keyof T]: WithoutReferences<T[K]> }
    : T;

/** OpenAPI document. Only schemas have references. */
export type ShownDocument = WithoutReferences<ReturnType<ServiceApp['getOpenAPI31Document']>>;
type ShownOperation = NonNullable<NonNullable<ShownDocument['paths']>[string]['get']>;
type ShownParameter = Omit<NonNullable<ShownOperation['parameters']>[number], 'in'> & {
  readonly in: string;
};
type ShownResponse = Partial<NonNullable<ShownOperation['requestBody']>>;
type ShownSchema = NonNullable<ShownParameter['schema']>;

const table = (heads: readonly string[], rows: readonly Html[]): Html =>
  html`<table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;

/** Text with code between backticks. */
const prose = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

const typeText = (schema: ShownSchema | undefined): string => {
  if (schema === undefined) return 'any';
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.items !== undefined) return `list of ${typeText(schema.items)}`;
  const choice = schema.anyOf ?? schema.allOf;
  if (choice !== undefined) return choice.map(typeText).join(' or ');
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length > 0)
    return `{ ${fields.map(([name, type]) => `${name}: ${typeText(type)}`).join(', ')} }`;
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any']);
  return types.join(' or ') + (schema.format === undefined ? '' : ` (${schema.format})`);
};

const parameterRow = ({
  name,
  in: where,
  required,
  description,
  schema,
}: ShownParameter) => html`<tr>
  <td><code>${name}</code> <span class="soft small">${where}${required === true ? ', required' : ''}</span></td>
  <td class="small">${typeText(schema)}${schema?.default === undefined ? '' : `, default ${schema.default}`}</td>
  <td class="small soft">${prose(description ?? schema?.description ?? '')}</td></tr>`;

/** Schema (references resolved) and example of the request body. */
const bodyOf = ({ requestBody }: ShownOperation, document: ShownDocument) => {
  const { schema, example } = requestBody?.content?.['application/json'] ?? {};
  const named = schema?.$ref === undefined ? undefined : nameOf(schema.$ref);
  return {
    example,
    schema: named === undefined ? schema : document.components?.schemas?.[named],
  };
};

const bodyRows = ({ properties = {}, required = [] }: ShownSchema = {}) =>
  Object.entries(properties).map(([name, schema]) =>
    parameterRow({ name, in: 'body', schema, required: required.includes(name) }),
  );

interface LocatedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: ShownOperation;
}

/** Path with example values for path parameters and required query parameters. */
const filledPath = ({ path, operation: { parameters = [] } }: LocatedOperation): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters.find((parameter) => parameter.name === name)?.schema?.example ?? name),
  );
  const required = parameters.filter(
    (parameter) => parameter.in === 'query' && parameter.required === true,
  );
  const query = required.map(
    ({ name, schema }) => `${name}=${encodeURIComponent(String(schema?.example ?? ''))}`,
  );
  return `${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
};

const curlOf = (located: LocatedOperation, example: unknown, origin: string): string => {
  const verb = located.method === 'get' ? '' : ` -X ${located.method.toUpperCase()}`;
  const body =
    example === undefined
      ? ''
      : ` -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'`;
  return `curl${verb} -H "Authorization: Bearer $KEY"${body} '${origin}/v1${filledPath(located)}'`;
};

/** Type of a response, linked if it is a named schema; its description if it has no body. */
const responseText = ({ content, description }: ShownResponse) => {
  const schema = content?.['application/json']?.schema;
  if (schema === undefined) return prose(description ?? '');
  const type = typeText(schema);
  return schema.$ref === undefined
    ? html`<code>${type}</code>`
    : html`<a href="#schema-${type}">${type}</a>`;
};

/** Folded example responses. */
const examplesOf = ({ responses = {} }: ShownOperation): Html[] =>
  Object.entries(responses).map(([status, { content }]) => {
    const example = content?.['application/json']?.example;
    return example === undefined
      ? NOTHING
      : html`<details><summary>Example of ${status}</summary><pre>${JSON.stringify(example, null, 2)}</pre></details>`;
  });

/** True for operations that change nothing: reads and the analysis. */
const tryable = ({ method, path, operation }: LocatedOperation): boolean =>
  operation.operationId === 'analyze' || (method === 'get' && path !== '/openapi.json');

const operationSection = (
  located: LocatedOperation,
  document: ShownDocument,
  { origin, tryIndex }: { origin: string; tryIndex: number },
): Html => {
  const { method, path, operation } = located;
  const { parameters = [], responses = {} } = operation;
  const body = bodyOf(operation, document);
  const rows = [...parameters.map(parameterRow), ...bodyRows(body.schema)];
  return html`<section class="wide" id="${operation.operationId ?? ''}">
    <div class="over"><h2><code>${method.toUpperCase()} ${path}</code> ${operation['x-extension'] === true ? html`<span class="tag">extension</span>` : NOTHING}</h2>
      <span class="small">${tryIndex === -1 ? NOTHING : html`<button type="button" data-try="${tryIndex}" hidden>try it</button> `}<a href="#endpoints">all endpoints</a></span></div>
    <p>${prose(operation.summary ?? '')}</p>
    <pre>${curlOf(located, body.example, origin)}</pre>
    ${rows.length === 0 ? NOTHING : html`${table(['parameter', 'type', 'meaning'], rows)}`}
    <h3>Responses</h3>${table(
      ['status', 'body'],
      Object.entries(responses).map(
        ([status, response]) =>
          html`<tr><td class="n">${status}</td><td class="small">${responseText(response)}</td></tr>`,
      ),
    )}${examplesOf(operation)}</section>`;
};

const allowed = (calls: number | undefined): string =>
  calls === undefined ? 'as agreed' : digits(calls);

const limitsSection: Html = html`<section class="wide" id="limits"><h2>Limits</h2>
  <table><thead><tr><th>tier</th><th>per minute</th><th>per month</th></tr></thead><tbody>${Object.entries(
    TIERS,
  ).map(
    ([tier, limits]) =>
      html`<tr><td>${tier}</td><td>${allowed(limits?.ratePerMinute)}</td><td>${allowed(limits?.callsPerMonth)}</td></tr>`,
  )}</tbody></table>
  <p class="small">Limits count the calls of a key in any 60 seconds and in a calendar month (UTC). Every request with a key counts, whatever its response. The headers <code>RateLimit-Policy</code> and <code>RateLimit</code> on each response show both limits (<code>minute</code>, <code>month</code>) and the calls left. Over a limit, the response is 429 with the seconds to wait in <code>Retry-After</code>. <a href="#getUsage">/usage</a> returns the daily usage of a key. A page has at most 100 items.</p></section>`;

const schemaSection = (
  name: string,
  schema: ShownSchema,
) => html`<section class="wide" id="schema-${name}"><h2>${name}</h2>
  ${table(
    ['field', 'type', 'meaning'],
    Object.entries(schema.properties ?? {}).map(
      ([field, type]) =>
        html`<tr><td><code>${field}</code></td><td class="small">${typeText(type)}</td><td class="small soft">${prose(type.description ?? '')}</td></tr>`,
    ),
  )}</section>`;

const requestOf = (located: LocatedOperation, document: ShownDocument) => {
  const { example } = bodyOf(located.operation, document);
  return {
    method: located.method === 'post' ? 'POST' : 'GET',
    path: filledPath(located),
    body: example === undefined ? undefined : JSON.stringify(example),
  };
};

/** OpenAPI document as a page. `origin`: address of the service in the examples. */
export const referencePage = (document: ShownDocument, origin: string): Html => {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, ShownOperation>>).map(
      ([method, operation]): LocatedOperation => ({ method, path, operation }),
    ),
  );
  const tried = operations.filter(tryable);
  const schemas = Object.entries(document.components?.schemas ?? {});
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · ${document.info.title}</title>${ICON}<link rel="stylesheet" href="/assets/style.css"><script src="/assets/try-it.js" defer></script></head><body>
<a class="skip" href="#content">Skip to the content</a>
<header><div class="bar"><a class="brand" href="/">${MARK}${document.info.title}</a>${navigation('/docs', (path) => path)}</div></header>
<main id="content"><div class="head"><h1>API reference</h1><div class="about soft small">version ${document.info.version} <a href="/v1/openapi.json">OpenAPI</a></div></div>
<nav class="about small" aria-label="On this page"><a href="#try" data-try-link hidden>Try it</a><a href="#limits">Limits</a><a href="#endpoints">Endpoints</a><a href="#shapes">Shapes</a></nav>
<div class="grid reference">
  <section class="wide">${(document.info.description ?? '').split('\n\n').map((text) => html`<p>${prose(text)}</p>`)}</section>
  ${limitsSection}
  <section class="wide" id="endpoints"><h2>Endpoints</h2><div class="contents">${operations.map(
    ({ method, path, operation }) =>
      html`<a href="#${operation.operationId ?? ''}"><code>${method.toUpperCase()} ${path}</code><span class="soft small">${prose(operation.summary ?? '')}</span></a>`,
  )}</div></section>
  ${tryItSection(tried.map((located) => requestOf(located, document)))}
  ${operations.map((located) => operationSection(located, document, { origin, tryIndex: tried.indexOf(located) }))}
  <section class="wide" id="shapes"><h2>Shapes</h2><ul class="keys">${schemas.map(([name]) => html`<li><a href="#schema-${name}"><code>${name}</code></a></li>`)}</ul></section>
  ${schemas.map(([name, schema]) => schemaSection(name, schema))}
</div></main></body></html>`;
};
