import { Secret } from './secret.ts';

/** Proxies of outgoing requests. Addresses may hold a password. */
export interface ProxySettings {
  readonly http: Secret | undefined;
  readonly https: Secret | undefined;
  /** Hosts that are asked directly, as in `NO_PROXY`. */
  readonly direct: string;
}

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY'] as const;

const variable = (env: NodeJS.ProcessEnv, name: string): string =>
  (env[name.toLowerCase()] ?? env[name] ?? '').trim();

/** The address of a proxy; `proxy.example:3128` is one, too. Undefined if it cannot be one. */
const addressOf = (text: string): string | undefined => {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== ''
    ? url.href
    : undefined;
};

/** Problems of the proxy variables, without their values. */
export const proxyProblems = (env: NodeJS.ProcessEnv): string[] =>
  VARIABLES.filter((name) => {
    const text = variable(env, name);
    return text !== '' && addressOf(text) === undefined;
  }).map(
    (name) =>
      `${name} must be an http or https address such as http://proxy.example:3128; what is set is not shown here.`,
  );

/** The proxies that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name; undefined without any. */
export const proxyIn = (env: NodeJS.ProcessEnv): ProxySettings | undefined => {
  const secretOf = (name: string): Secret | undefined => {
    const address = addressOf(variable(env, name));
    return variable(env, name) === '' || address === undefined ? undefined : new Secret(address);
  };
  const [https, http] = VARIABLES.map(secretOf);
  return http === undefined && https === undefined
    ? undefined
    : { http, https, direct: variable(env, 'NO_PROXY') };
};

const matches = (host: string, port: string, entry: string): boolean => {
  const [name = '', only = port] = entry.replace(/^\*?\./, '').split(/:(?=\d+$)/);
  if (entry === '*') return true;
  return name !== '' && only === port && (host === name || host.endsWith(`.${name}`));
};

/** The proxy for an address; undefined if it is asked directly. */
export const proxyFor = (address: string, proxy: ProxySettings | undefined): URL | undefined => {
  if (proxy === undefined) return undefined;
  const { protocol, hostname, port } = new URL(address);
  const isSecure = protocol === 'https:';
  const host = hostname.toLowerCase();
  const direct = proxy.direct.toLowerCase().split(/[\s,]+/);
  if (direct.some((entry) => matches(host, port || (isSecure ? '443' : '80'), entry)))
    return undefined;
  const secret = isSecure ? (proxy.https ?? proxy.http) : proxy.http;
  return secret === undefined ? undefined : new URL(secret.reveal());
};
