/** Where a PostgreSQL server is, once for each host that the address names. */
export interface PostgresAddress {
  /** A connection string for each host, in the order given. */
  readonly urls: readonly string[];
  /** The schema that trendlake's tables lie in. */
  readonly schema: string;
  /** Hosts, port and database: what may be shown. */
  readonly shown: string;
}

const FORM = /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^@/?#]+)(\/[^?#]*)?(\?[^#]*)?$/;
const SCHEMA = 'schema';
const USUAL_SCHEMA = 'trendlake';
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

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
  return fits ? { urls, schema, shown: `${hosts}/${database}` } : undefined;
};
