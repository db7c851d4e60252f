import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { ProxySettings } from './proxy.ts';
import { skippingInterim } from './skip-interim.ts';

/** Certificates are checked whatever NODE_TLS_REJECT_UNAUTHORIZED says. */
const CHECKED = { rejectUnauthorized: true };

/** Connections of outgoing requests, through a proxy if one is set. */
export const openAgent = (
  proxy: ProxySettings | undefined,
  {
    connect = skippingInterim(buildConnector(CHECKED)),
    ...options
  }: Omit<Agent.Options, 'connect'> & { readonly connect?: buildConnector.connector } = {},
): Dispatcher =>
  proxy === undefined
    ? new Agent({ ...options, connect })
    : new EnvHttpProxyAgent({
        ...options,
        connect,
        requestTls: CHECKED,
        proxyTls: CHECKED,
        // '' keeps the process's own variables out
        httpProxy: proxy.http?.reveal() ?? '',
        httpsProxy: proxy.https?.reveal() ?? '',
        noProxy: proxy.direct,
      });
