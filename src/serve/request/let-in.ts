import type { Context, MiddlewareHandler } from 'hono';
import { lakeVersion } from '../../lake/lake-version.ts';
import { type Admitted, DOCUMENT_PATH, type KeyCheck } from '../auth/key-check.ts';
import { problemResponse } from '../http/problems.ts';
import { sendResponse } from '../http/written-response.ts';
import type { ServiceContext, ServiceEnv } from './context.ts';

/** Sets the rate limit headers, and the key id for the log. */
export const noteAdmitted = (c: Context<ServiceEnv>, { headers, standing }: Admitted): void => {
  for (const name in headers) c.env.outgoing.setHeader(name, headers[name] ?? '');
  if (standing === undefined) return;
  c.set('standing', standing);
  c.env.exchange.keyId = standing.id;
};

/** Middleware of `/v1`: checks the key, then responds from the cache or calls the route. */
export const letIn =
  (
    { lake, responses, now: time }: ServiceContext,
    admission: KeyCheck,
  ): MiddlewareHandler<ServiceEnv> =>
  async (c, next) => {
    const { method, path } = c.req;
    const authorization = c.req.header('authorization');
    if (path === DOCUMENT_PATH && authorization === undefined) return next();
    const admitted = await admission.admit({ authorization, method, path });
    noteAdmitted(c, admitted);
    if (admitted.refusal !== undefined) return problemResponse(admitted.refusal);
    if (method !== 'GET') return next();
    const now = time();
    const moment = () => ({ version: lakeVersion(lake), at: now });
    const cached = responses.find(c.env.incoming.url ?? '', moment);
    if (cached === undefined) return next();
    const written = cached.at(now);
    return sendResponse(c, { written, now, bytes: (coding) => cached.bytes(coding) });
  };
