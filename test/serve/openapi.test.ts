import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { EVENT_KINDS } from '../../schema/vocabulary.ts';
import { eventData, eventOf } from '../../src/alerts/events/event.ts';
import {
  creatorResponse,
  deliveredEvent,
  eventsResponse,
  feedResponse,
  forecastsResponse,
  growthResponse,
  hashtagsResponse,
  problem,
  trendsResponse,
  usageResponse,
  videoResponse,
} from '../../src/base/wire/shapes.ts';
import { anyCharacter } from '../support/any-character.ts';
import { draws } from '../support/draws.ts';
import { hoursAgo, NOW } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required?: boolean;
  readonly schema: { readonly enum?: string[]; readonly example?: unknown };
}
interface Body {
  readonly content?: Readonly<Record<string, { schema: object; example?: unknown }>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
  readonly 'x-extension'?: boolean;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  getFeed: feedResponse,
  getTrends: trendsResponse,
  getHashtags: hashtagsResponse,
  getCreator: creatorResponse,
  getGrowth: growthResponse,
  getVideo: videoResponse,
  search: feedResponse,
  getForecasts: forecastsResponse,
  getEvents: eventsResponse,
  getUsage: usageResponse,
};

let running: Running;
let document: Document;
beforeAll(async () => {
  running = await runService((into) => {
    into.video({
      id: 'tt_1',
      user: 'ada',
      tags: ['dance'],
      extra: { a: [1] },
      snapshots: [
        [hoursAgo(30), 5],
        [hoursAgo(1), 10, 1],
      ],
    });
    into.video({
      id: 'yt_2',
      title: null,
      user: null,
      createdAt: null,
      snapshots: [[hoursAgo(1), null]],
    });
    into.creator({ platform: 'tiktok', handle: 'ada', snapshots: [[hoursAgo(2), 5]] });
    into.event({ id: 'e1', kind: 'trend.spike', platform: 'tiktok', at: hoursAgo(3) });
    into.event({
      id: 'e2',
      kind: 'niche.breakout',
      platform: null,
      at: hoursAgo(2),
      detectedAt: NOW + 1,
    });
  });
  document = (await (await fetch(`${running.service.url}/openapi.json`)).json()) as Document;
});

const operations = (): { path: string; method: string; operation: Operation }[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('the document is OpenAPI 3.1, names every endpoint, and marks what is an extension', () => {
  expect(document.openapi).toBe('3.1.0');
  const shown = operations().filter(({ operation }) => operation['x-extension'] !== true);
  expect(shown.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    'get /creators/{platform}/{handle}',
    'get /feed/{platform}',
    'get /hashtags',
    'get /search',
    'get /trends/{platform}/{period}',
    'get /videos/{id}/growth',
    'post /lab/analyze',
  ]);
  const names = operations().map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(document.components.schemas)).toContain('ContentItem');
});

test('it describes what subscriptions are sent, kind by kind', () => {
  expect(Object.keys(document.webhooks).toSorted()).toEqual(EVENT_KINDS.toSorted());
  for (const [kind, { post }] of Object.entries(document.webhooks)) {
    const { schema, example } = post?.requestBody?.content?.['application/json'] ?? {};
    expect(schema).toEqual({ $ref: '#/components/schemas/DeliveredEvent' });
    expect(deliveredEvent.parse(example)).toMatchObject({ type: kind });
  }
});

test('an event as it is delivered is what the document says', () => {
  const event = eventOf(
    { kind: 'trend.spike', platform: 'tiktok', subject: { kind: 'video', id: 'tt_1' } },
    { window: { from: hoursAgo(3), to: hoursAgo(1) }, evidence: { views: 5, source: 'feed' } },
  );
  const timestamp = new Date(event.occurredAt).toISOString();
  const sent = { type: event.kind, timestamp, data: eventData(event) };
  expect(deliveredEvent.strict().parse(sent)).toEqual(sent);
});

test('the document has a tag, by which it is not sent again', async () => {
  const { headers } = await fetch(`${running.service.url}/openapi.json`);
  const etag = headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"/);
  const again = await fetch(`${running.service.url}/openapi.json`, {
    headers: { 'if-none-match': etag },
  });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('every reference in it leads somewhere, every parameter is described once', () => {
  const text = JSON.stringify(document);
  for (const [, name] of text.matchAll(/#\/components\/schemas\/([\w]+)/g))
    expect(document.components.schemas).toHaveProperty(name as string);
  for (const { path, operation } of operations()) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = (operation.parameters ?? []).filter((p) => p.in === 'path');
    expect(described.map(({ name }) => name)).toEqual(inPath);
  }
});

test('every body has a whole example, which its own schema takes', () => {
  const definitions = JSON.stringify({ $defs: document.components.schemas });
  const schemaOf = (schema: object): z.ZodType => {
    const text = JSON.stringify({ ...schema, ...JSON.parse(definitions) });
    return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
  };
  for (const { operation } of operations()) {
    const bodies = [operation.requestBody, ...Object.values(operation.responses)];
    for (const [type, { schema, example }] of bodies.flatMap((body) =>
      Object.entries(body?.content ?? {}),
    )) {
      const where = `${operation.operationId} ${type}`;
      expect(example, where).toBeDefined();
      expect(schemaOf(schema).safeParse(example).error, where).toBeUndefined();
    }
  }
});

test('a key, when given, must be right even here', async () => {
  const got = await running.get('/openapi.json', { headers: { authorization: 'Bearer x' } });
  expect(got.status).toBe(401);
});

describe('requests made from the document and around it', () => {
  const oddText = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.constantFrom(
      '',
      '0',
      '-1',
      '1.5',
      '1e3',
      '9'.repeat(40),
      'null',
      '"',
      '*',
      'NEAR(',
      '%00',
      '../..',
      "' or 1=1",
      '２',
    ),
  );
  const fitting = (parameter: Parameter) =>
    parameter.schema.enum !== undefined
      ? fc.constantFrom(...parameter.schema.enum)
      : fc.constant(String(parameter.schema.example ?? 'tt_1'));
  const anyValueOf = (parameter: Parameter) =>
    fc.oneof({ weight: 3, arbitrary: fitting(parameter) }, { weight: 1, arbitrary: oddText });
  const httpRequest = (path: string, operation: Operation) =>
    fc
      .tuple(
        ...(operation.parameters ?? []).map((parameter) =>
          fc.record({
            parameter: fc.constant(parameter),
            value: anyValueOf(parameter),
            times: fc.constantFrom(
              1,
              1,
              1,
              1,
              parameter.in === 'path' ? 1 : 0,
              parameter.in === 'path' ? 1 : 2,
            ),
          }),
        ),
      )
      .map((given) => {
        let filled = path;
        const query = new URLSearchParams();
        for (const { parameter, value, times } of given)
          if (parameter.in === 'path')
            filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(value));
          else for (let i = 0; i < times; i++) query.append(parameter.name, value);
        return `${filled}?${query}`;
      });

  test('no 5xx, no undocumented status, every body as described', async () => {
    const gets = operations().filter(({ method }) => method === 'get');
    for (const { path, operation } of gets)
      await fc.assert(
        fc.asyncProperty(httpRequest(path, operation), async (address) => {
          const got = await running.get(address);
          expect(got.status, address).toBeLessThan(500);
          if (got.status === 200)
            expect(
              ANSWERS[operation.operationId]?.safeParse(got.body).error,
              address,
            ).toBeUndefined();
          else {
            // a path that an odd value turned into another is that other path's to document
            if (new URL(`http://x${address}`).pathname.split('/').length === path.split('/').length)
              expect(Object.keys(operation.responses).concat('404'), address).toContain(
                String(got.status),
              );
            expect(problem.safeParse(got.body).error, address).toBeUndefined();
          }
        }),
        { numRuns: draws(80) },
      );
  });

  test('odd methods, paths and headers never fail here', async () => {
    const odd = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'),
      path: fc.oneof(
        fc.constantFrom('/feed/tiktok', '/lab/analyze', '/videos/tt_1', '/usage'),
        fc
          .array(oddText, { maxLength: 4 })
          .map((parts) => `/${parts.map(encodeURIComponent).join('/')}`),
      ),
      body: oddText,
      type: fc.constantFrom(
        'application/json',
        'text/plain',
        'application/json; charset=latin1',
        '',
      ),
      tag: fc.constantFrom('*', 'W/"x"', '"', ',,,'),
    });
    await fc.assert(
      fc.asyncProperty(odd, async ({ method, path, body, type, tag }) => {
        const got = await fetch(`${running.service.url}${path}`, {
          method,
          ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
          headers: {
            authorization: `Bearer ${running.key}`,
            'content-type': type,
            'if-none-match': tag,
          },
        });
        await got.arrayBuffer();
        expect(got.status, `${method} ${path}`).toBeLessThan(500);
      }),
      { numRuns: draws(200) },
    );
  });
});

test('events: as of an instant, by kind, platform and since, newest first', async () => {
  const all = await running.get('/events');
  expect(all.body).toMatchObject({ total: 1, page: 1 });
  expect(all.body.items[0]).toMatchObject({
    id: 'e1',
    kind: 'trend.spike',
    subject: 'video:tt_1',
    data: { id: 'e1' },
  });
  expect((await running.get('/events?kind=creator.viral')).body.total).toBe(0);
  expect((await running.get('/events?platform=youtube')).body.total).toBe(0);
  expect((await running.get('/events?since=2026-03-10T10:00:00Z')).body.total).toBe(0);
  expect((await running.get('/events?asOf=2026-03-10T08:00:00Z')).body.total).toBe(0);
});
