import type { Context } from 'hono';
import type { ServiceEnv } from '../request/context.ts';

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
