import { z } from '@hono/zod-openapi';
import { analysisResponse } from '../../base/wire/analysis-shapes.ts';
import { analysisOf } from '../../learn/why/analyze.ts';
import { jsonBody } from '../http/body.ts';
import { invalidParameters } from '../http/problems.ts';
import { momentOf, respondOnce, type ServiceApp, type ServiceContext } from '../request/context.ts';
import { describeChange } from '../request/describe.ts';
import { NO_STORE, respondChange } from '../request/respond-get.ts';
import { unknownVideo } from './videos.ts';

const LONGEST_ID = 128;

export const analyzeBody = z
  .object({
    id: z.string().min(1).max(LONGEST_ID).openapi({ example: 'tt_7240348510065823002' }),
  })
  .openapi('AnalyzeRequest');

const analyze = describeChange({
  method: 'post',
  path: '/lab/analyze',
  operationId: 'analyze',
  summary: 'Why a video went viral, and a production recipe',
  scope: 'lab',
  body: { schema: analyzeBody },
  status: 200,
  result: 'The analysis.',
  response: analysisResponse,
});

const idIn = (body: unknown): string => {
  const read = analyzeBody.safeParse(body);
  if (read.success) return read.data.id;
  const detail = `Expected a video id of 1 to ${LONGEST_ID} characters.`;
  throw invalidParameters([{ parameter: 'id', detail }]);
};

/** `POST /lab/analyze`. */
export const labRoute = (app: ServiceApp, service: ServiceContext): void => {
  const { reads, model, now } = service;
  const deps = { clock: { now }, model };
  respondChange(app, analyze, async (c) => {
    const body = await jsonBody(c);
    const id = idIn(body);
    return respondOnce(service, c, body, async () => {
      const { asOf, owner, gone } = momentOf(service, c, undefined);
      const findings = await reads.read('findings', { id, asOf }, { owner, unwanted: gone() });
      if (findings === undefined) throw unknownVideo(id, asOf);
      return c.json(await analysisOf(findings, deps), 200, NO_STORE);
    });
  });
};
