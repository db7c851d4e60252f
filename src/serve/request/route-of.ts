import type { ServiceApp } from './context.ts';

const LONGEST_PATH = 512;

/** Finds the route pattern of an address, such as `/v1/feed/:platform`, or `unknown`. Bounds metric labels. */
export const routesOf = (app: ServiceApp): ((method: string, address: string) => string) => {
  const isPage = ({ method, path }: { method: string; path: string }): boolean =>
    method !== 'ALL' && !path.endsWith('*'); // without middleware
  return (method, address) => {
    const path = address.split('?', 1)[0] ?? '';
    if (path.length > LONGEST_PATH) return 'unknown';
    const [found] = app.router.match(method === 'HEAD' ? 'GET' : method, path);
    const route = found.findLast(([[, route]]) => isPage(route));
    return route?.[0][1].path ?? 'unknown';
  };
};
