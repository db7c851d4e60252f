import { html, raw } from 'hono/html';
import { ICON, MARK } from './icon.ts';
import { STYLE } from './style.ts';

/** The parts of an OpenAPI document that the reference page shows. */
export interface ShownDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
  };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, ShownOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, ShownSchema>> };
}
interface ShownOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly ShownParameter[];
  readonly requestBody?: {
    readonly content?: Readonly<
      Record<string, { readonly schema?: ShownSchema; readonly example?: unknown }>
    >;
  };
  readonly responses?: Readonly<Record<string, ShownResponse>>;
  readonly 'x-extension'?: boolean;
}
interface ShownParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: ShownSchema;
}
interface ShownResponse {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: ShownSchema }>>;
}
interface ShownSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly items?: ShownSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ShownSchema>>;
  readonly anyOf?: readonly ShownSchema[];
  readonly allOf?: readonly ShownSchema[];
}

/** Text in which what stands between backticks is code. */
const prose = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** A type in a few words. */
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
  in: place,
  required,
  description,
  schema,
}: ShownParameter) => html`<tr>
  <td><code>${name}</code> <span class="soft small">${place}${required === true ? ', required' : ''}</span></td>
  <td class="small">${typeText(schema)}${schema?.default === undefined ? '' : `, default ${schema.default}`}</td>
  <td class="small soft">${prose(description ?? schema?.description ?? '')}</td></tr>`;

/** The request's JSON: its schema, found where it is named only, and an example. */
const bodyOf = ({ requestBody }: ShownOperation, document: ShownDocument) => {
  const { schema, example } = requestBody?.content?.['application/json'] ?? {};
  const named = schema?.$ref === undefined ? undefined : nameOf(schema.$ref);
  return {
    example,
    schema: named === undefined ? schema : document.components?.schemas?.[named],
  };
};

const bodyRows = (schema: ShownSchema | undefined) =>
  Object.entries(schema?.properties ?? {}).map(([name, type]) =>
    parameterRow({
      ...{ name, in: 'body', schema: type },
      required: schema?.required?.includes(name) === true,
    }),
  );

interface LocatedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: ShownOperation;
}

/** A command that makes this request of the service at `origin`. */
const curlOf = (
  { method, path, operation: { parameters = [] } }: LocatedOperation,
  example: unknown,
  origin: string,
): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters.find((one) => one.name === name)?.schema?.example ?? name),
  );
  const required = parameters.filter((one) => one.in === 'query' && one.required === true);
  const query = required.map(
    ({ name, schema }) => `${name}=${encodeURIComponent(String(schema?.example ?? ''))}`,
  );
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const body =
    example === undefined
      ? ''
      : ` -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'`;
  const address = `${origin}/v1${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  return `curl${verb} -H "Authorization: Bearer $KEY"${body} '${address}'`;
};

/** What a response holds, a link where that has a name of its own; the words about it elsewhere. */
const answerText = ({ content, description }: ShownResponse) => {
  const schema = content?.['application/json']?.schema;
  if (schema === undefined) return prose(description ?? '');
  const type = typeText(schema);
  return schema.$ref === undefined
    ? html`<code>${type}</code>`
    : html`<a href="#schema-${type}">${type}</a>`;
};

const operationSection = (located: LocatedOperation, document: ShownDocument, origin: string) => {
  const { method, path, operation } = located;
  const { parameters = [], responses = {} } = operation;
  const body = bodyOf(operation, document);
  const rows = [...parameters.map(parameterRow), ...bodyRows(body.schema)];
  return html`<section class="wide" id="${operation.operationId ?? ''}">
    <h2><code>${method.toUpperCase()} ${path}</code> ${operation['x-extension'] === true ? html`<span class="tag">extension</span>` : ''}</h2>
    <p>${prose(operation.summary ?? '')}</p>
    <pre>${curlOf(located, body.example, origin)}</pre>
    ${rows.length === 0 ? '' : html`<table><tbody>${rows}</tbody></table>`}
    <h3>Responses</h3><table><tbody>${Object.entries(responses).map(
      ([status, response]) =>
        html`<tr><td class="n">${status}</td><td class="small">${answerText(response)}</td></tr>`,
    )}</tbody></table></section>`;
};

const schemaSection = (
  name: string,
  schema: ShownSchema,
) => html`<section class="wide" id="schema-${name}"><h2>${name}</h2>
  <table><tbody>${Object.entries(schema.properties ?? {}).map(
    ([field, type]) =>
      html`<tr><td><code>${field}</code></td><td class="small">${typeText(type)}</td><td class="small soft">${prose(type.description ?? '')}</td></tr>`,
  )}</tbody></table></section>`;

/** The OpenAPI document as a page for people; `origin` is where they reach the service. */
export const referencePage = (document: ShownDocument, origin: string) => {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const schemas = Object.entries(document.components?.schemas ?? {});
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} ${document.info.version}</title>${ICON}<style>${raw(STYLE)}</style></head><body>
<header><h1>${MARK}${document.info.title} <span class="soft">v1</span></h1><nav><a href="/">dashboard</a><a href="/v1/openapi.json">OpenAPI</a></nav></header>
<main class="grid reference">
  <section class="wide">${(document.info.description ?? '').split('\n\n').map((text) => html`<p>${prose(text)}</p>`)}</section>
  <section class="wide"><h2>Endpoints</h2><div class="contents">${operations.map(
    ({ method, path, operation }) =>
      html`<a href="#${operation.operationId ?? ''}"><code>${method.toUpperCase()} ${path}</code><span class="soft small">${prose(operation.summary ?? '')}</span></a>`,
  )}</div></section>
  ${operations.map((located) => operationSection(located, document, origin))}
  ${schemas.map(([name, schema]) => schemaSection(name, schema))}
</main></body></html>`;
};
