import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { isLoopback } from '../../base/loopback.ts';
import { RefusedError } from './problems.ts';

/** Where the service listens and how people reach it. */
export interface ExposureOptions {
  /** The address it listens on. */
  readonly host: string;
  /** Where people reach it from outside, without a path; undefined: on `host` alone. */
  readonly publicUrl?: string | undefined;
  /** The pages and `/metrics` are open to whoever reaches them. */
  readonly publicDashboard?: boolean | undefined;
}

/** A host's name as URLs write it, without port and brackets; undefined where it is none. */
const nameIn = (host: string): string | undefined =>
  URL.parse(`http://${host}/`)
    ?.hostname.replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/** Headers that a proxy adds to a request it passes on, beside every `X-Forwarded-...`. */
const OF_PROXIES: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip'],
  ...['cf-connecting-ip', 'cf-connecting-ipv6', 'fastly-client-ip', 'fly-client-ip', 'cdn-loop'],
  ...['x-original-forwarded-for', 'x-original-host', 'x-envoy-external-address'],
]);

/**
 * Whether a proxy may have passed a request on: by its headers, or by HTTP/1.0, which nginx speaks with
 * no header of its own and no browser does.
 */
const isPassedOn = ({
  headers,
  httpVersion,
}: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean =>
  httpVersion === '1.0' ||
  Object.keys(headers).some((name) => name.startsWith('x-forwarded') || OF_PROXIES.has(name));

/** Characters of a Host header that an error repeats. */
const LONGEST_SHOWN = 60;

/** Counts Host headers. Node keeps the first, but a proxy may have used another. */
const countHosts = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number =>
  rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length;

/** Whether a name is the very address a request came to: that cannot be made to lead elsewhere. */
const isReachedAt = (name: string, localAddress: string | undefined): boolean =>
  isIP(name) !== 0 && localAddress?.replace(/^::ffff:/, '') === name;

/** An address as it stands in a URL. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const refusedHost = (detail: string): RefusedError =>
  new RefusedError('invalid-parameter', `Host: ${detail}`, {
    errors: [{ parameter: 'Host', detail }],
  });

/** What is open to whom, and by which names the service may be asked for. */
export class Exposure {
  readonly #host: string;
  readonly #publicUrl: URL | undefined;
  readonly #isPublic: boolean;
  readonly #isLocal: boolean;
  /** Hosts as they were written that were right before. */
  readonly #right = new LRUCache<string, true>({ max: 100 });

  constructor({ host, publicUrl, publicDashboard = false }: ExposureOptions) {
    this.#host = host.toLowerCase();
    this.#publicUrl = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.#isPublic = publicDashboard;
    const publicName = this.#publicUrl === undefined ? host : nameIn(this.#publicUrl.host);
    this.#isLocal = isLoopback(host) && isLoopback(publicName ?? '');
  }

  /** True where a cookie must not leave over plain HTTP. */
  get isSecure(): boolean {
    return this.#publicUrl?.protocol === 'https:';
  }

  /** The origin that people and pages of it use, where one was configured. */
  get publicOrigin(): string | undefined {
    return this.#publicUrl?.origin;
  }

  /** Whether a request may read pages and `/metrics` without a key: it comes from this machine. */
  isOpenTo(incoming: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
    return this.#isPublic || this.isLocalTo(incoming);
  }

  /** Whether a request comes from this machine, to a service that only this machine reaches. */
  isLocalTo(incoming: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
    return this.#isLocal && !isPassedOn(incoming);
  }

  /**
   * Why a request by this Host is not answered. A page of another name that was made to lead here
   * (DNS rebinding) carries that name, so only names of this machine and the configured one are right.
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
    if (this.#right.has(host)) return undefined;
    const name = nameIn(host);
    if (name !== undefined && this.#isOurs(name)) {
      this.#right.set(host, true);
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

  /** What is open to whom, for whoever starts it. */
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
