import type { ServiceApp } from './context.ts';

/** A route's path as a pattern: `:name` stands for one segment. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}$`);

/** The methods that `path` answers; none where nothing is there. */
export const allowedMethods = (app: ServiceApp, path: string): string[] => {
  const methods = app.routes
    .filter((route) => route.method !== 'ALL' && patternOf(route.path).test(path))
    .map((route) => route.method);
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
};
