import { isLoopback } from '../loopback.ts';

export interface PostgresAddress {
  /** One connection string per host, in the given order. */
  readonly urls: readonly string[];
  /** Schema of trendlake's tables. */
  readonly schema: string;
  /** Hosts, port and database, without user and password. */
  readonly shown: string;
  /** False if the password would cross a network in clear text without `sslmode=disable`. */
  readonly isGuarded: boolean;
}

const FORM = /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^@/?#]+)(\/[^?#]*)?(\?[^#]*)?$/;
const SCHEMA = 'schema';
const USUAL_SCHEMA = 'trendlake';
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** True if TLS is configured or explicitly disabled. */
const asksForTls = (params: URLSearchParams): boolean =>
  ['sslmode', 'sslcert', 'sslkey', 'sslrootcert'].some((name) => params.get(name)) ||
  params.get('sslnegotiation') === 'direct' ||
  ['1', 'true', 'no-verify'].includes(params.get('ssl') ?? '');

/** The `host` parameter wins over the URL's host. A path is a local socket. */
const isLocal = (url: string): boolean => {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') || decodeURIComponent(hostname);
  return host.startsWith('/') || isLoopback(host.replace(/^\[|\]$/g, ''));
};

/**
 * Reads an address such as `postgres://user:password@one:5432,two:5432/database?schema=trendlake`.
 * Several hosts are a primary and its standbys. Undefined if it is invalid.
 */
export const postgresAddress = (text: string): PostgresAddress | undefined => {
  const [, scheme = '', user = '', hosts = '', path = '', query = ''] = FORM.exec(text) ?? [];
  const database = path.slice(1);
  const params = new URLSearchParams(query);
  const schema = params.get(SCHEMA) ?? USUAL_SCHEMA;
  params.delete(SCHEMA);
  const rest = params.size === 0 ? '' : `?${params}`;
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${path}${rest}`);
  const fits =
    hosts !== '' &&
    database !== '' &&
    SCHEMA_NAME.test(schema) &&
    urls.every((url) => URL.canParse(url));
  if (!fits) return undefined;
  const isGuarded = asksForTls(params) || urls.every(isLocal);
  return { urls, schema, shown: `${hosts}/${database}`, isGuarded };
};
