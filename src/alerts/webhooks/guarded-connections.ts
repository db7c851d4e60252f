import { lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector, type Dispatcher, request } from 'undici';
import { openAgent } from '../../base/open-agent.ts';
import type { ProxySettings } from '../../base/proxy.ts';
import { skippingInterim } from '../../base/skip-interim.ts';
import { ForbiddenTargetError, mayDial, type Reach } from './target.ts';

/** Body, headers and address of a post. */
export interface Letter {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly loopback: boolean;
}

/** Resolves names. Tests pass another one. */
export type Resolve = typeof resolveName;

/** Leaves out the address, so that nobody can learn the private address behind a name. */
const forbidden = (host: string): ForbiddenTargetError =>
  new ForbiddenTargetError(
    `${host} has an address that webhooks must not reach (private, local, reserved or one cloud's own). Nothing was sent`,
  );

/** A lookup that checks all addresses. One forbidden address among several refuses the name. */
const guardedLookup =
  (reach: Reach, resolve: Resolve): LookupFunction =>
  (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, answers) => {
      if (error !== null) return done(error, '', 0);
      const wrong = answers.find(({ address }) => !mayDial(address, reach));
      if (wrong !== undefined) return done(forbidden(host), '', 0);
      const first = answers[0];
      if (first === undefined) return done(new Error(`${host} has no address`), '', 0);
      return options.all === true ? done(null, answers) : done(null, first.address, first.family);
    });
  };

/**
 * Dials for webhooks: literals, names and resolved addresses are checked before a packet leaves,
 * and the address of the opened socket again before a byte is written.
 */
const guardedConnector = (
  reach: Reach,
  connectTimeoutMs: number,
  resolve: Resolve,
): buildConnector.connector => {
  const connect = skippingInterim(
    buildConnector({
      timeout: connectTimeoutMs,
      rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
      lookup: guardedLookup(reach, resolve),
    }),
  );
  return (options, done) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !mayDial(host, reach)) return done(forbidden(host), null);
    return connect(options, (error, socket) => {
      if (error !== null) return done(error, null);
      const address = (socket as Socket).remoteAddress ?? '';
      if (mayDial(address, reach)) return done(null, socket as Socket);
      (socket as Socket).destroy();
      return done(forbidden(host), null);
    });
  };
};

export interface GuardOptions {
  readonly timeoutMs: number;
  readonly resolve?: Resolve;
  /** The proxy resolves names, so only addresses are checked before it. */
  readonly proxy?: ProxySettings | undefined;
}

const guardedAgent = (
  reach: Reach,
  { timeoutMs, resolve = resolveName, proxy }: GuardOptions,
): Dispatcher =>
  openAgent(proxy, {
    connect: guardedConnector(reach, timeoutMs, resolve),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 4_000,
    pipelining: 1,
    maxHeaderSize: 16_384,
  });

type PostOptions = Required<Pick<Dispatcher.RequestOptions, 'signal' | 'onInfo'>>;

/** Connections to permitted addresses only, each for one request. Close them when done. */
export class GuardedConnections {
  readonly #agents: Readonly<Record<Reach, Dispatcher>>;

  constructor(options: GuardOptions) {
    this.#agents = {
      public: guardedAgent('public', options),
      loopback: guardedAgent('loopback', { ...options, proxy: undefined }),
    };
  }

  /** @throws (rejects) without a response */
  async post(
    { url, body, headers, loopback }: Letter,
    options: PostOptions,
  ): Promise<Dispatcher.ResponseData> {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !mayDial(host, loopback ? 'loopback' : 'public')) throw forbidden(host);
    const dispatcher = this.#agents[loopback ? 'loopback' : 'public'];
    return request(url, { method: 'POST', headers, body, dispatcher, reset: true, ...options });
  }

  async close(): Promise<void> {
    await Promise.all([this.#agents.public.destroy(), this.#agents.loopback.destroy()]);
  }
}
