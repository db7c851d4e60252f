import { request } from 'node:http';
import type { Scope } from '../../src/lake/keys/keys.ts';
import type { Proof } from './proof.ts';
import type { Served } from './served.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const filledIn = (path: string): string =>
  path
    .replace('{platform}', 'tiktok')
    .replace('{period}', 'day')
    .replace(/\{[^}]+\}/g, 'x');
const scopeOf = (path: string): Scope =>
  path.startsWith('/lab/') ? 'lab' : path.startsWith('/webhooks') ? 'webhooks' : 'read';

/** Every route with every kind of key: who lacks the scope is refused, whatever else is wrong. */
export const proveScopes = async ({ origin, newKey, revokedKey }: Served): Promise<Proof> => {
  const all = newKey();
  const document = (await (
    await fetch(`${origin}/v1/openapi.json`, { headers: { authorization: `Bearer ${all}` } })
  ).json()) as Document;
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => METHODS.includes(method))
      .map((method) => [method.toUpperCase(), path.replace(/^\/v1/, '')] as const),
  );
  const keys: readonly (readonly [string, string | undefined, readonly Scope[]])[] = [
    ['no key', undefined, []],
    ['an unknown key', 'tl_live_unknown', []],
    ['a revoked key', revokedKey(), []],
    ['read', newKey(['read']), ['read']],
    ['lab', newKey(['lab']), ['lab']],
    ['webhooks', newKey(['webhooks']), ['webhooks']],
    ['read and lab', newKey(['read', 'lab']), ['read', 'lab']],
    ['lab and webhooks', newKey(['lab', 'webhooks']), ['lab', 'webhooks']],
    ['all', all, ['read', 'lab', 'webhooks']],
  ];
  const passed: string[] = [];
  let tried = 0;
  for (const [method, path] of routes) {
    if (path === '/openapi.json') continue; // open to everybody
    for (const [name, key, scopes] of keys) {
      tried += 1;
      const { status } = await fetch(`${origin}/v1${filledIn(path)}`, {
        method,
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      });
      const expected = scopes.length === 0 ? 401 : scopes.includes(scopeOf(path)) ? undefined : 403;
      const isWrong =
        expected === undefined ? [401, 403].includes(status) || status >= 500 : status !== expected;
      if (isWrong) passed.push(`${method} ${path} with ${name}: ${status}`);
    }
  }
  return {
    what: 'routes with keys of other scopes, revoked, unknown or none',
    tried,
    passed,
    measured: `${routes.length} routes, ${keys.length} kinds of key`,
  };
};

const UP = [
  '..',
  '%2e%2e',
  '%2E%2E',
  '..%2f',
  '..%5c',
  '..;',
  '%252e%252e',
  '....//',
  '%c0%ae%c0%ae',
  '．．',
];
const AIMS = [
  'etc/passwd',
  'service.db',
  'trendlake.db',
  'trendlake.db-wal',
  'backups',
  'proc/self/environ',
  'package.json',
  'trendlake.config.json',
];
const BASES = [
  '/',
  '/v1/',
  '/v1/videos/',
  '/v1/creators/tiktok/',
  '/docs/',
  '/assets/',
  '/hooks/',
  '/health/',
  '//',
  '/v1//',
  '/./',
];
const STRANGE = [
  '/%00',
  '/v1/feed/%00',
  '/v1/feed/tiktok%0d%0aset-cookie:a=b',
  '/v1/feed/__proto__',
  '/v1/videos/constructor/growth',
  `/${'a'.repeat(8000)}`,
  `/v1/${'%61'.repeat(3000)}`,
  '/v1/feed/tiktok?limit=1&limit=2',
  '/v1/feed/tiktok?limit[]=1',
  '/v1/search?q=%FF',
  "/v1/search?q=' or 1=1 --",
  '/v1/search?q="',
  `/v1/search?q=${'('.repeat(200)}`,
  '/v1/feed/tiktok?asOf=1e309',
  '*',
  '/v1/feed/tiktok?__proto__[a]=1',
];
const ALL_METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
];
const LEAKS =
  /root:.*:0:0:|SQLite format 3|TRENDLAKE_HOOK_SECRET|whsec_|"devDependencies"|at .+\.(ts|js):\d+/;

/** A request whose path leaves as it is written: `fetch` would tidy it. */
const asked = (
  origin: string,
  method: string,
  path: string,
  key: string,
): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const sent = request(
      { hostname, port, method, path, headers: { authorization: `Bearer ${key}` } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(parts).toString('latin1'),
          }),
        );
      },
    );
    sent.on('error', (error) =>
      'code' in error && error.code === 'ECONNRESET'
        ? resolve({ status: 0, body: '' })
        : reject(error),
    );
    sent.end();
  });

/** Hostile paths with every method: nothing but what is public, and never a mistake of ours. */
export const provePaths = async ({ origin, newKey }: Served): Promise<Proof> => {
  const key = newKey();
  const aimed = BASES.flatMap((base) =>
    UP.flatMap((up) => AIMS.slice(0, 4).map((aim) => `${base}${`${up}/`.repeat(4)}${aim}`)),
  );
  const direct = BASES.flatMap((base) => AIMS.map((aim) => `${base}${aim}`));
  const tries = [
    ...aimed.map((path) => ['GET', path] as const),
    ...[...direct, ...STRANGE].flatMap((path) =>
      ALL_METHODS.map((method) => [method, path] as const),
    ),
  ];
  const passed: string[] = [];
  for (const [method, path] of tries) {
    let written = path;
    try {
      const { status, body } = await asked(origin, method, written, key);
      if (status >= 500 || LEAKS.test(body))
        passed.push(`${method} ${path.slice(0, 80)}: ${status}`);
    } catch (error) {
      written = encodeURI(path); // Node sends no such character: as a browser would write it
      const { status, body } = await asked(origin, method, written, key).catch(() => ({
        status: 0,
        body: String(error),
      }));
      if (status >= 500 || LEAKS.test(body))
        passed.push(`${method} ${written.slice(0, 80)}: ${status}`);
    }
  }
  return {
    what: 'paths and methods that aim at files or at mistakes',
    tried: tries.length,
    passed,
    measured: '',
  };
};
