import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type Database from 'better-sqlite3';
import type { Context } from 'hono';
import type { Clock } from '../clock.ts';
import { holdsUntil } from '../history/validity.ts';
import { lakeVersion } from '../lake/lake-version.ts';
import type { Lake } from '../lake/open.ts';
import { type Answer, acceptsGzip, bytesOf, replyWith, write } from './answer.ts';
import type { Standing } from './auth/limits.ts';
import type { Replay } from './cache/kept-answers.ts';
import type { KeptLists } from './cache/kept-lists.ts';

/** What a request carries along once its key was counted. */
export interface RequestVariables {
  readonly standing: Standing;
}
export interface ServiceEnv {
  Variables: RequestVariables;
  Bindings: HttpBindings;
}
export type ServiceApp = OpenAPIHono<ServiceEnv>;

/** What the routes answer from. */
export interface ServiceContext {
  readonly lake: Lake;
  readonly lists: KeptLists;
  readonly service: Database.Database;
  /** The time that answers are given at; fixed where the service was started with `at`. */
  readonly now: () => number;
  readonly replay: Replay;
  /** The time that limits are counted in; never fixed. */
  readonly clock: Clock;
}

/** The instant an answer is for: as asked, but never after the service's own now. */
export const instantAsked = (service: ServiceContext, asOf: number | undefined): number => {
  const now = service.now();
  return asOf === undefined ? now : Math.min(asOf, now);
};

/** The instant a request is for, and how to learn that its sender waits no longer. */
export const momentOf = (
  service: ServiceContext,
  c: Context<ServiceEnv>,
  asked: number | undefined,
): { asOf: number; isNow: boolean; gone: () => AbortSignal } => ({
  asOf: instantAsked(service, asked),
  isNow: asked === undefined,
  gone: () => c.req.raw.signal, // making one takes a moment: only when there is something to wait for
});

/** Sends an answer, and remembers it where it may be given again. */
export const respond = (
  { lake, now: clock, replay }: ServiceContext,
  c: Context<ServiceEnv>,
  answer: Answer,
  asked: number | undefined,
): Response => {
  const now = clock();
  const written = write(answer);
  const { at, version } = answer.readFor ?? { at: now, version: lakeVersion(lake) };
  if (answer.windowsMs !== undefined && (asked === undefined || asked <= at))
    replay.keep(c.env.incoming.url ?? '', {
      path: c.req.path,
      written,
      version,
      from: asked ?? at,
      until:
        asked === undefined ? holdsUntil(lake, at, answer.windowsMs) : Number.POSITIVE_INFINITY,
      isOfItsInstant: asked === undefined && answer.asOf === at,
    });
  const gzip = acceptsGzip(c.req.header('accept-encoding'));
  const accepts = { ifNoneMatch: c.req.header('if-none-match'), gzip };
  const { body, ...rest } = replyWith(written, now, accepts, () => bytesOf(written, gzip));
  return new Response(body, rest);
};
