import { createHash, createHmac } from 'node:crypto';
import { MINUTE_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { sameBytes, secretKey, signedWith } from './signature.ts';

/** Greatest distance of a signed time from now. */
export const TOLERANCE_MS = 5 * MINUTE_MS;
const MIN_SECRET_CHARACTERS = 24;

/** Headers of a request, names in lower case. */
export type HookHeaders = Readonly<Record<string, string | undefined>>;

/** The secret shared with the upstream, as each form of signing uses it. */
export interface HookSecret {
  /** Standard Webhooks: the bytes behind `whsec_`. */
  readonly key: Buffer;
  /** The other forms: the text as it is. */
  readonly text: Buffer;
}

/**
 * Reads the secret shared with the upstream: `whsec_` + base64, or any text of 24 characters or more.
 * @throws UsageError when it is too short; the message does not repeat it
 */
export const readHookSecret = (secret: string): HookSecret => {
  const text = Buffer.from(secret, 'utf8');
  if (secret.startsWith('whsec_')) return { key: secretKey(secret), text };
  if (secret.length < MIN_SECRET_CHARACTERS)
    throw new UsageError(
      `The secret of upstream webhooks is too short: expected whsec_ + base64, or at least ${MIN_SECRET_CHARACTERS} characters; got ${secret.length}.`,
    );
  return { key: text, text };
};

/** A request whose bytes were signed with the secret, or why not. */
export type Proof =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly missing: boolean; readonly detail: string };

const refused = (detail: string, missing = false): Proof => ({ ok: false, missing, detail });

/** Problem of a signed time: unreadable, or too far from now. Undefined without one. */
const untimely = (seconds: string, now: number): string | undefined => {
  if (!/^\d{1,12}$/.test(seconds)) return 'The signed timestamp is not Unix seconds.';
  return Math.abs(now - Number(seconds) * 1000) > TOLERANCE_MS
    ? 'The signed timestamp is more than 5 minutes from now.'
    : undefined;
};

const WRONG = 'No signature of this request was made with the secret set here.';
const bodyId = (body: Buffer): string => `body:${createHash('sha256').update(body).digest('hex')}`;

/** Standard Webhooks; `prefix` is `webhook` or, of its predecessor, `svix`. */
const standard = (
  prefix: string,
  { headers, body }: { headers: HookHeaders; body: Buffer },
  secret: HookSecret,
  now: number,
): Proof | undefined => {
  const signatures = headers[`${prefix}-signature`];
  if (signatures === undefined) return undefined;
  const id = headers[`${prefix}-id`];
  const timestamp = headers[`${prefix}-timestamp`];
  if (id === undefined || id === '' || timestamp === undefined)
    return refused(
      `${prefix}-id and ${prefix}-timestamp must come with ${prefix}-signature.`,
      true,
    );
  const late = untimely(timestamp, now);
  if (late !== undefined) return refused(late);
  const right = Buffer.from(
    `v1,${signedWith(secret.key, { id, timestamp, body }).toString('base64')}`,
  );
  const fits = signatures.split(' ').some((signature) => sameBytes(Buffer.from(signature), right));
  return fits ? { ok: true, id: `${id}` } : refused(WRONG);
};

/** `t=<seconds>,v1=<hex>` over `<seconds>.<body>`, several v1 while a secret is rotated. */
const timed = (
  header: string | undefined,
  body: Buffer,
  secret: HookSecret,
  now: number,
): Proof | undefined => {
  if (header === undefined) return undefined;
  const parts = header.split(',').map((part) => part.trim().split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  const late = untimely(timestamp, now);
  if (late !== undefined) return refused(late);
  const right = createHmac('sha256', secret.text)
    .update(`${timestamp}.`)
    .update(body)
    .digest('hex');
  const fits = parts.some(
    ([name, value = '']) => name === 'v1' && sameBytes(Buffer.from(value), Buffer.from(right)),
  );
  return fits ? { ok: true, id: bodyId(body) } : refused(WRONG);
};

/** `sha256=<hex>` over the body alone. It has no time, so each body is accepted once. */
const plain = (header: string | undefined, body: Buffer, secret: HookSecret): Proof | undefined => {
  if (header === undefined) return undefined;
  const right = `sha256=${createHmac('sha256', secret.text).update(body).digest('hex')}`;
  return sameBytes(Buffer.from(header), Buffer.from(right))
    ? { ok: true, id: bodyId(body) }
    : refused(WRONG);
};

/**
 * Checks the raw bytes of a request against its signature, before anything reads them. Forms, the
 * first whose header is there: Standard Webhooks (`webhook-*`, or `svix-*`); `x-webhook-signature`
 * or `stripe-signature: t=<seconds>,v1=<hex>`; `x-hub-signature-256: sha256=<hex>`.
 */
export const proveHook = (
  headers: HookHeaders,
  body: Buffer,
  secret: HookSecret,
  now: number,
): Proof =>
  standard('webhook', { headers, body }, secret, now) ??
  standard('svix', { headers, body }, secret, now) ??
  timed(headers['x-webhook-signature'] ?? headers['stripe-signature'], body, secret, now) ??
  plain(headers['x-hub-signature-256'], body, secret) ??
  refused(
    'The request carries no signature: expected webhook-signature, x-webhook-signature or x-hub-signature-256.',
    true,
  );
