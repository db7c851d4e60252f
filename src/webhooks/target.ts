import { lookup as resolveName } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import { EXIT, TrendlakeError, UsageError } from '../errors.ts';

const LONGEST_URL = 2048;

/** Public addresses that answer to the machines of one cloud alone. */
const CLOUD_INTERNAL = new Set(['168.63.129.16']);

/** An address that no webhook may reach; found when dialling. */
export class ForbiddenTargetError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode = EXIT.failed;
}

/** Where a subscription may point: everywhere public, or this machine alone. */
export type Reach = 'public' | 'loopback';

/** True when `address` (a literal, any spelling) may be dialled. */
export const mayDial = (address: string, reach: Reach): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address); // an IPv4 address inside an IPv6 one is judged as itself
  if (reach === 'loopback') return parsed.range() === 'loopback';
  if (CLOUD_INTERNAL.has(parsed.toString())) return false;
  // Of IPv6 only 2000::/3 is handed out; the rest hides IPv4 addresses or is nobody's.
  if (parsed.kind() === 'ipv6' && (parsed.toByteArray()[0] as number) >> 5 !== 1) return false;
  return parsed.range() === 'unicast';
};

const LOOPBACK_NAMES = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The target of a subscription, checked as far as its text tells: https, or http to this machine
 * where that was allowed. The addresses behind a name are checked whenever it is dialled.
 * @throws UsageError saying what was expected and what was got
 */
export const readTarget = (text: string, allowLoopbackHttp: boolean): URL => {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  const refuse = (expected: string): never => {
    throw new UsageError(`The webhook address must be ${expected}; it is "${shown}".`);
  };
  if (text.length > LONGEST_URL) refuse(`at most ${LONGEST_URL} characters long`);
  if (!URL.canParse(text)) refuse('an https address such as https://example.com/hook');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') refuse('without a user name or password');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (allowLoopbackHttp && url.protocol === 'http:') {
    if (!LOOPBACK_NAMES.test(url.hostname))
      refuse('http on this machine (localhost, 127.0.0.1, [::1]), or https');
    return url;
  }
  if (url.protocol !== 'https:')
    refuse('https (http to this machine needs --allow-loopback-http, allowLoopbackHttp)');
  if (isIP(host) !== 0 && !mayDial(host, 'public'))
    refuse('a public address (not private, local, reserved or one cloud’s own)');
  if (isIP(host) === 0 && !host.includes('.')) refuse('a full host name or a public address');
  return url;
};

/** Resolves names; a test puts its own in place. */
export type Resolve = typeof resolveName;

/** Says nothing of the address itself: whoever subscribes a name would learn what it hides. */
const forbidden = (host: string): ForbiddenTargetError =>
  new ForbiddenTargetError(
    `${host} has an address that webhooks must not reach (private, local, reserved or one cloud's own). Nothing was sent`,
  );

/** A lookup whose answers are all checked; one forbidden address among several refuses the name. */
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
 * Dials for webhooks: literals, names and whatever a resolver answers are checked before a packet
 * leaves, and the address of the opened socket once more before a byte is written.
 */
const guardedConnector = (
  reach: Reach,
  connectTimeoutMs: number,
  resolve: Resolve,
): buildConnector.connector => {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    lookup: guardedLookup(reach, resolve),
  });
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

/** An agent that reaches nothing it must not. Close it when done. */
export const guardedAgent = (
  reach: Reach,
  { timeoutMs, resolve = resolveName }: { timeoutMs: number; resolve?: Resolve },
): Agent =>
  new Agent({
    connect: guardedConnector(reach, timeoutMs, resolve),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 4_000,
    pipelining: 1,
    maxHeaderSize: 16_384,
  });
