import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { UsageError } from '../../base/errors.ts';

/** Bytes of a secret: what Standard Webhooks allows, and what ours have. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const OUR_SECRET_BYTES = 32;
const PREFIX = 'whsec_';
/** Length of the largest secret in base64, with padding. */
const LONGEST_SECRET_TEXT = 4 * Math.ceil(MAX_SECRET_BYTES / 3);

const withoutPadding = (base64: string): string => base64.replace(/={1,2}$/, '');

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const newSecret = (): string =>
  `${PREFIX}${randomBytes(OUR_SECRET_BYTES).toString('base64')}`;

/**
 * The key inside a `whsec_` secret.
 * @throws UsageError for another text, or a length that Standard Webhooks does not allow. The message
 * does not repeat it.
 */
export const secretKey = (secret: string): Buffer => {
  const refuse = (got: string): never => {
    throw new UsageError(
      `The webhook secret cannot be used: expected ${PREFIX} and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in base64, as Standard Webhooks defines; got ${got}.`,
    );
  };
  if (!secret.startsWith(PREFIX)) return refuse(`a text without ${PREFIX}`);
  const text = secret.slice(PREFIX.length);
  if (text.length > LONGEST_SECRET_TEXT) return refuse(`${text.length} characters after ${PREFIX}`);
  const key = Buffer.from(text, 'base64');
  const isWhole = withoutPadding(key.toString('base64')) === withoutPadding(text);
  if (!isWhole) return refuse(`${key.length} bytes with characters base64 does not have`);
  if (key.length < MIN_SECRET_BYTES || key.length > MAX_SECRET_BYTES)
    return refuse(`${key.length} bytes`);
  return key;
};

/** HMAC-SHA256 over `<id>.<seconds>.<body>`, as Standard Webhooks signs. */
export const signedWith = (
  key: Buffer,
  { id, timestamp, body }: { id: string; timestamp: string; body: string | Buffer },
): Buffer => createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();

/**
 * A JSON body with the headers of one attempt. While a secret is being rotated both sign, the newer
 * first.
 * @param sentAt Unix ms
 */
export const signedLetter = (
  id: string,
  sentAt: number,
  body: string,
  secrets: readonly string[],
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } => {
  const timestamp = String(Math.floor(sentAt / 1000));
  const signatures = secrets.map(
    (secret) => `v1,${signedWith(secretKey(secret), { id, timestamp, body }).toString('base64')}`,
  );
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'trendlake-webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
  return { body, headers };
};

/** Compares in constant time. */
export const sameBytes = (a: Buffer, b: Buffer): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
