import { createRoute, z } from '@hono/zod-openapi';
import { isoOf } from '../../base/iso.ts';
import { analysisResponse } from '../../base/wire/analysis-shapes.ts';
import { analysisOf } from '../../learn/why/analyze.ts';
import { jsonBody } from '../http/body.ts';
import { invalidParameters, RefusedError } from '../http/problems.ts';
import { momentOf, respondOnce, type ServiceApp, type ServiceContext } from '../request/context.ts';
import { problemsOf } from '../request/describe.ts';
import { EXAMPLE_BODIES, EXAMPLE_RESPONSES } from '../request/examples.ts';

const LONGEST_ID = 128;

const analyzeBody = z
  .object({
    id: z.string().min(1).max(LONGEST_ID).openapi({ example: 'tt_7240348510065823002' }),
  })
  .openapi('AnalyzeRequest');

const analyze = createRoute({
  method: 'post',
  path: '/lab/analyze',
  operationId: 'analyze',
  summary: 'Why a video went viral, and a production recipe',
  description: 'Needs a key with the scope `lab`.',
  tags: ['Interface'],
  request: {
    body: {
      required: true,
      content: { 'application/json': { schema: analyzeBody, example: EXAMPLE_BODIES.analyze } },
    },
  },
  responses: {
    200: {
      description: 'The analysis.',
      content: {
        'application/json': { schema: analysisResponse, example: EXAMPLE_RESPONSES.analyze },
      },
    },
    ...problemsOf([
      'invalid-parameter',
      'not-found',
      'payload-too-large',
      'unsupported-media-type',
    ]),
  },
});

const idIn = (body: unknown): string => {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  if (typeof id === 'string' && id.length >= 1 && id.length <= LONGEST_ID) return id;
  throw invalidParameters([
    { parameter: 'id', detail: `Expected a video id of 1 to ${LONGEST_ID} characters.` },
  ]);
};

/** `POST /lab/analyze`. */
export const labRoute = (app: ServiceApp, service: ServiceContext): void => {
  const { reads, model, now } = service;
  const deps = { clock: { now }, model };
  app.openAPIRegistry.registerPath(analyze);
  app.post('/lab/analyze', async (c) => {
    const body = await jsonBody(c);
    const id = idIn(body);
    return respondOnce(service, c, body, async () => {
      const { asOf, owner, gone } = momentOf(service, c, undefined);
      const findings = await reads.read('findings', { id, asOf }, { owner, unwanted: gone() });
      if (findings === undefined)
        throw new RefusedError('not-found', `No video "${id}" had been seen by ${isoOf(asOf)}.`);
      return c.json(await analysisOf(findings, deps), 200, { 'cache-control': 'no-store' });
    });
  });
};
