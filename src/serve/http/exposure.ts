import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { isLoopback } from '../../base/loopback.ts';
import { RefusedError } from './problems.ts';

export interface ExposureOptions {
  /** Listening address. */
  readonly host: string;
  /** Public URL without a path. Undefined: `host` only. */
  readonly publicUrl?: string | undefined;
  /** Opens pages and `/metrics` without a key. */
  readonly publicDashboard?: boolean | undefined;
}

/** Host name without port and brackets; undefined if invalid. */
const nameIn = (host: string): string | undefined =>
  URL.parse(`http://${host}/`)
    ?.hostname.replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/** Headers of proxies, in addition to every `X-Forwarded-...`. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'fastly-client-ip',
  'fly-client-ip',
  'cdn-loop',
  'x-original-forwarded-for',
  'x-original-host',
  'x-envoy-external-address',
]);

/** True if a proxy may have forwarded the request. nginx forwards with HTTP/1.0, which no browser uses. */
const isForwarded = ({
  headers,
  httpVersion,
}: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean =>
  httpVersion === '1.0' ||
  Object.keys(headers).some((name) => name.startsWith('x-forwarded') || PROXY_HEADERS.has(name));

/** Characters of a Host header that an error repeats. */
const LONGEST_SHOWN = 60;

/** Counts Host headers. Node keeps the first, but a proxy may have used another. */
const countHosts = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number =>
  rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length;

/** True if the name is the IP address of this socket. DNS cannot redirect it. */
const isReachedAt = (name: string, localAddress: string | undefined): boolean =>
  isIP(name) !== 0 && localAddress?.replace(/^::ffff:/, '') === name;

/** Host for a URL, with brackets around IPv6. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const refusedHost = (detail: string): RefusedError =>
  new RefusedError('invalid-parameter', `Host: ${detail}`, {
    errors: [{ parameter: 'Host', detail }],
  });

/** Access without a key, and the allowed Host names. */
export class Exposure {
  readonly #host: string;
  readonly #publicUrl: URL | undefined;
  readonly #isPublic: boolean;
  readonly #isLocal: boolean;
  /** Host headers that passed before, as sent. */
  readonly #allowedHosts = new LRUCache<string, true>({ max: 100 });

  constructor({ host, publicUrl, publicDashboard = false }: ExposureOptions) {
    this.#host = host.toLowerCase();
    this.#publicUrl = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.#isPublic = publicDashboard;
    const publicName = this.#publicUrl === undefined ? host : nameIn(this.#publicUrl.host);
    this.#isLocal = isLoopback(host) && isLoopback(publicName ?? '');
  }

  /** True if cookies require HTTPS. */
  get isSecure(): boolean {
    return this.#publicUrl?.protocol === 'https:';
  }

  get publicOrigin(): string | undefined {
    return this.#publicUrl?.origin;
  }

  /** True if the request may read pages and `/metrics` without a key. */
  isOpenTo(incoming: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
    return this.#isPublic || this.isLocalTo(incoming);
  }

  /** True for requests from this machine to a service that only this machine can reach. */
  isLocalTo(incoming: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
    return this.#isLocal && !isForwarded(incoming);
  }

  /**
   * The problem if the Host header is not allowed. DNS rebinding points another site's name here, so only
   * names of this machine and the configured one pass.
   */
  refusalOf(incoming: IncomingMessage): RefusedError | undefined {
    const { headers, url = '', httpVersion, socket } = incoming;
    const count = countHosts(incoming);
    if (count > 1) return refusedHost(`Expected one Host header; got ${count}.`);
    const host = /^https?:/i.test(url) ? URL.parse(url)?.host : headers.host;
    if (host === undefined || host === '') {
      if (httpVersion === '1.0') return undefined; // no browser sends it
      return refusedHost('The header is missing. Send the host name of the URL.');
    }
    if (this.#allowedHosts.has(host)) return undefined;
    const name = nameIn(host);
    if (name !== undefined && this.#isOurs(name)) {
      this.#allowedHosts.set(host, true);
      return undefined;
    }
    if (name !== undefined && isReachedAt(name, socket.localAddress)) return undefined;
    return refusedHost(
      `Unknown Host header. The service does not serve "${host.slice(0, LONGEST_SHOWN)}". The operator can allow a name with --public-url or TRENDLAKE_PUBLIC_URL.`,
    );
  }

  #isOurs(name: string): boolean {
    if (isLoopback(name) || name === this.#host) return true;
    return this.#publicUrl !== undefined && name === nameIn(this.#publicUrl.host);
  }

  /** Describes access without a key, for the operator. */
  sentence(): string {
    const keyless = 'the dashboard, /docs and /metrics';
    if (this.#isPublic)
      return `Everyone who can reach ${this.#name()} can open ${keyless} without a key (--public-dashboard). /v1 requires a key.`;
    if (this.#isLocal)
      return `Everyone on this machine can open ${keyless} without a key. /v1 requires a key.`;
    const names =
      this.#publicUrl === undefined ? ' To allow another host name, set --public-url.' : '';
    return `The service is at ${this.#name()}. ${keyless[0]?.toUpperCase()}${keyless.slice(1)} require a key, like /v1. /health and /v1/openapi.json do not.${names}`;
  }

  #name(): string {
    return this.publicOrigin ?? this.#host;
  }
}
