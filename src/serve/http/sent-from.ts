import type { Context } from 'hono';
import type { ServiceEnv } from '../request/context.ts';

/**
 * Whether a page of another origin made the browser send this. What browsers say of themselves decides
 * (Sec-Fetch-Site, else Origin); what says neither is no page: a person who typed the address, or a program.
 * @param publicOrigin is never elsewhere, whatever Host a proxy writes
 */
export const isFromElsewhere = (
  { req }: Pick<Context<ServiceEnv>, 'req'>,
  publicOrigin?: string,
): boolean => {
  const site = req.header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.header('origin');
  if (origin === undefined || origin === publicOrigin) return false;
  return URL.parse(origin)?.host !== req.header('host');
};
