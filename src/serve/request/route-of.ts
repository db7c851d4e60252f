import type { ServiceApp } from './context.ts';

const LONGEST_PATH = 512;

/**
 * Tells the pattern of the route that answers an address, such as `/v1/feed/:platform`; `unknown`
 * where there is none. However many addresses are asked for, the patterns stay the same few.
 */
export const routesOf = (app: ServiceApp): ((method: string, address: string) => string) => {
  const isPage = ({ method, path }: { method: string; path: string }): boolean =>
    method !== 'ALL' && !path.endsWith('*'); // what is asked of many addresses answers none
  return (method, address) => {
    const path = address.split('?', 1)[0] ?? '';
    if (path.length > LONGEST_PATH) return 'unknown';
    const [found] = app.router.match(method === 'HEAD' ? 'GET' : method, path);
    const route = found.findLast(([[, route]]) => isPage(route));
    return route?.[0][1].path ?? 'unknown';
  };
};
