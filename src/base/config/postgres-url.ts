import { isLoopback } from '../loopback.ts';

/** Where a PostgreSQL server is, once for each host that the address names. */
export interface PostgresAddress {
  /** A connection string for each host, in the order given. */
  readonly urls: readonly string[];
  /** The schema that trendlake's tables lie in. */
  readonly schema: string;
  /** Hosts, port and database: what may be shown. */
  readonly shown: string;
  /** False where the password would cross a network in clear text, and the address does not ask for it. */
  readonly isGuarded: boolean;
}

const FORM = /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^@/?#]+)(\/[^?#]*)?(\?[^#]*)?$/;
const SCHEMA = 'schema';
const USUAL_SCHEMA = 'trendlake';
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Parameters over which the driver encrypts. `sslmode=disable` says that nothing should. */
const asksForTls = (params: URLSearchParams): boolean =>
  ['sslmode', 'sslcert', 'sslkey', 'sslrootcert'].some((name) => params.get(name)) ||
  params.get('sslnegotiation') === 'direct' ||
  ['1', 'true', 'no-verify'].includes(params.get('ssl') ?? '');

/** The host that the driver dials: a parameter wins, and a path is a socket of this machine. */
const isHere = (url: string): boolean => {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') || decodeURIComponent(hostname);
  return host.startsWith('/') || isLoopback(host.replace(/^\[|\]$/g, ''));
};

/**
 * Reads an address such as `postgres://user:password@one:5432,two:5432/database?schema=trendlake`.
 * Several hosts are a primary and its standbys. Undefined where it cannot be one.
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
  const isGuarded = asksForTls(params) || urls.every(isHere);
  return { urls, schema, shown: `${hosts}/${database}`, isGuarded };
};
