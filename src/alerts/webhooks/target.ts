import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { EXIT, TrendlakeError, UsageError } from '../../base/errors.ts';

const LONGEST_URL = 2048;

/** Public addresses that answer to the machines of one cloud alone. */
const CLOUD_INTERNAL = new Set(['168.63.129.16']);

/** An address that no webhook may reach; found when dialling. */
export class ForbiddenTargetError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode = EXIT.failed;
}

/** Reach of a subscription: public addresses, or this machine only. */
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
 * Target of a subscription, checked as far as its text allows: https, or http to this machine if
 * allowed. Addresses behind a name are checked whenever it is dialled.
 * @throws UsageError with the expected and the given value
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
