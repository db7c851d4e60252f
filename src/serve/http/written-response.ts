import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { isoOf } from '../../base/iso.ts';
import { type ContentCoding, codingFor, compressed, exactBytes } from './coding.ts';

/** A response before it is written. Instants in Unix ms. */
export interface ResponseContent {
  /** All fields except `asOf`, in order. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly asOf: number;
  /** Newest observation that the response may use; null if none. */
  readonly observedAt: number | null;
  /** Windows before the instant that the response covers. Undefined: not cached. */
  readonly windowsMs?: readonly number[];
  /** Instant and lake version of a slow read. Default: now. */
  readonly readFor?: { readonly at: number; readonly version: number };
}

export interface WrittenResponse {
  readonly bytes: Buffer<ArrayBuffer>; // JSON, `asOf` last
  readonly asOf: number;
  /** Weak: `asOf` is not part of it. */
  readonly etag: string;
  readonly observedAt: number | null;
  /** Header `Link` of a list. */
  readonly link?: string;
  /** True if only new observations change it, so that Last-Modified is valid. */
  readonly isDated: boolean;
}

export interface SentBytes {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly encoding: ContentCoding | null;
}

const SMALLEST_COMPRESSED_BYTES = 1024;

/** The body without its closing brace. */
const textOf = (body: ResponseContent['body']): string => {
  const fields = Object.entries(body).filter(
    ([name, value]) => value !== undefined && name !== 'asOf',
  );
  const texts = fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${texts.join(',')}`;
};

/** The end of a body, ASCII only. */
const endOf = (asOf: number): string => `,"asOf":"${isoOf(asOf)}"}`;

/** The bytes before `asOf`. */
const withoutInstant = (bytes: WrittenResponse['bytes'], asOf: number): WrittenResponse['bytes'] =>
  bytes.subarray(0, -endOf(asOf).length);

export const write = ({ body, asOf, observedAt, windowsMs }: ResponseContent): WrittenResponse => {
  const bytes = Buffer.from(textOf(body) + endOf(asOf));
  const etag = tagOf(withoutInstant(bytes, asOf));
  return { bytes, asOf, etag, observedAt, isDated: windowsMs?.length === 0 };
};

/** The same response with another `asOf`. */
export const writtenAt = (written: WrittenResponse, asOf: number): WrittenResponse => {
  if (written.asOf === asOf) return written;
  const start = withoutInstant(written.bytes, written.asOf);
  return { ...written, asOf, bytes: exactBytes(start, Buffer.from(endOf(asOf))) };
};

export const tagOf = (text: string | Uint8Array): string =>
  `W/"${hash('sha1', text, 'base64url')}"`;

/** True if If-None-Match has the tag. */
export const hasTag = (header: string | undefined, etag: string): boolean =>
  (header ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === etag.slice(2));

/** Small bodies are not compressed. */
export const bytesOf = ({ bytes }: WrittenResponse, coding: ContentCoding | null): SentBytes =>
  coding !== null && bytes.length >= SMALLEST_COMPRESSED_BYTES
    ? { bytes: compressed(bytes, coding), encoding: coding }
    : { bytes, encoding: null };

/** True if the client has the response: by ETag, or by date without one. */
const isKnown = (
  { req }: Context,
  { etag, observedAt, isDated }: WrittenResponse,
  now: number,
): boolean => {
  const tags = req.header('if-none-match');
  if (tags !== undefined) return hasTag(tags, etag);
  const date = req.header('if-modified-since');
  if (date === undefined || !isDated || observedAt === null) return false;
  const since = Date.parse(date);
  return since <= now && since >= Math.floor(observedAt / 1000) * 1000;
};

export interface Sending {
  readonly written: WrittenResponse;
  /** The service's time, Unix ms. */
  readonly now: number;
  readonly bytes: (coding: ContentCoding | null) => SentBytes;
}

/** Sends a response with its caching headers: 304 or compressed if the request allows it. */
export const sendResponse = (c: Context, { written, now, bytes }: Sending): Response => {
  const { etag, observedAt, link } = written;
  const headers: Record<string, string> = {
    etag,
    'cache-control': 'private, no-cache',
    vary: 'Authorization, Accept-Encoding',
  };
  if (link !== undefined) headers.link = link;
  if (observedAt !== null) {
    headers.age = String(Math.max(0, Math.floor((now - observedAt) / 1000)));
    headers['last-modified'] = new Date(observedAt).toUTCString();
  }
  if (isKnown(c, written, now)) return new Response(null, { status: 304, headers });
  const { bytes: body, encoding } = bytes(codingFor(c.req.header('accept-encoding')));
  headers['content-type'] = 'application/json';
  if (encoding !== null) headers['content-encoding'] = encoding;
  return new Response(body, { headers });
};
