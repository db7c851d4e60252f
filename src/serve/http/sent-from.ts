import type { Context } from 'hono';
import type { ServiceEnv } from '../request/context.ts';
import { RefusedError } from './problems.ts';

/**
 * True if a page of another origin made the browser send the request, by Sec-Fetch-Site or Origin. A
 * request without both comes from the address bar or a program.
 * @param publicOrigin always allowed, even if a proxy rewrites Host
 */
export const isCrossOrigin = (
  { req }: Pick<Context<ServiceEnv>, 'req'>,
  publicOrigin?: string,
): boolean => {
  const site = req.header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.header('origin');
  if (origin === undefined || origin === publicOrigin) return false;
  return URL.parse(origin)?.host !== req.header('host');
};

/** @throws RefusedError with the detail if a page of another origin sent the request */
export const refuseCrossOrigin = (
  c: Context<ServiceEnv>,
  detail: string,
  publicOrigin?: string,
): void => {
  if (isCrossOrigin(c, publicOrigin)) throw new RefusedError('forbidden', detail);
};
