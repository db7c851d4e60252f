import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { isoOf } from '../../base/iso.ts';
import { exactBytes } from './exact-bytes.ts';

/** What an endpoint answers with: a body, and since when it has been true. Instants in Unix ms. */
export interface ResponseContent {
  /** Everything but `asOf`, in the order it is written. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The instant the response is true at. */
  readonly asOf: number;
  /** The newest observation the response can rest on; null when there is none. */
  readonly observedAt: number | null;
  /**
   * Windows before the instant asked that the response is made from, when nothing else of that instant
   * goes into it: then it may be given again. Left out: never given again from memory.
   */
  readonly windowsMs?: readonly number[];
  /** The instant and the version of the lake it was read for, where it took its time; else those of now. */
  readonly readFor?: { readonly at: number; readonly version: number };
}

/** A value of a body that is JSON text already. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  /** Inside another value it is read and written again. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** A response written once, to be sent often. */
export interface WrittenResponse {
  readonly bytes: Buffer<ArrayBuffer>; // JSON, `asOf` last
  readonly asOf: number;
  /** Weak: bodies that differ in nothing but the instant they were asked for are the same response. */
  readonly etag: string;
  readonly observedAt: number | null;
  /** Header `Link` of a list. */
  readonly link?: string;
  /** True where it changes with observations alone, not as windows move on: then their date tells. */
  readonly isDated: boolean;
}

/** The bytes that are sent of a response. */
export interface SentBytes {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly encoding: 'gzip' | null;
}

/** What of a request decides how a response is sent. */
export interface Accepts {
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  readonly gzip: boolean;
}

/** Status, headers and bytes, ready to leave. */
export interface Reply {
  readonly status: 200 | 304;
  readonly headers: Record<string, string>;
  readonly body: Buffer<ArrayBuffer> | null;
}

const SMALLEST_COMPRESSED_BYTES = 1024;
const GZIP_LEVEL = 4; // 6 takes twice as long here and saves 3 %

/** A body but for its closing brace. A further field of a video may be named as what comes last. */
const textOf = (body: ResponseContent['body']): string => {
  const fields = Object.entries(body).filter(
    ([name, value]) => value !== undefined && name !== 'asOf',
  );
  const texts = fields.map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${value instanceof JsonText ? value.text : JSON.stringify(value)}`,
  );
  return `{${texts.join(',')}`;
};

/** What ends a body that is true at `asOf`: ASCII only. */
const endOf = (asOf: number): string => `,"asOf":"${isoOf(asOf)}"}`;

/** The part of a response that is the same at every instant. */
const toldBy = (bytes: WrittenResponse['bytes'], asOf: number): WrittenResponse['bytes'] =>
  bytes.subarray(0, -endOf(asOf).length);

export const write = ({ body, asOf, observedAt, windowsMs }: ResponseContent): WrittenResponse => {
  const bytes = Buffer.from(textOf(body) + endOf(asOf));
  const etag = tagOf(toldBy(bytes, asOf));
  return { bytes, asOf, etag, observedAt, isDated: windowsMs?.length === 0 };
};

/** The same response, true at another instant. */
export const writtenAt = (written: WrittenResponse, asOf: number): WrittenResponse => {
  if (written.asOf === asOf) return written;
  const told = toldBy(written.bytes, written.asOf);
  return { ...written, asOf, bytes: exactBytes(told, Buffer.from(endOf(asOf))) };
};

/** The tag of a text: weak, as it may be sent compressed or with another instant. */
export const tagOf = (text: string | Uint8Array): string =>
  `W/"${hash('sha1', text, 'base64url')}"`;

/** Whether If-None-Match names a tag. */
export const hasTag = (header: string | undefined, etag: string): boolean =>
  (header ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === etag.slice(2));

/** True when the sender takes gzip. */
export const acceptsGzip = (header: string | undefined): boolean =>
  header !== undefined && /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))|,|$)/i.test(header);

/** A response's bytes, compressed where that is taken and pays. */
export const bytesOf = ({ bytes }: WrittenResponse, gzip: boolean): SentBytes =>
  gzip && bytes.length >= SMALLEST_COMPRESSED_BYTES
    ? { bytes: gzipSync(bytes, { level: GZIP_LEVEL }), encoding: 'gzip' }
    : { bytes, encoding: null };

/** Whether the sender has this response already: by its tag, or by its date where no tag is given. */
const isKnown = (
  { etag, observedAt, isDated }: WrittenResponse,
  now: number,
  { ifNoneMatch, ifModifiedSince }: Accepts,
): boolean => {
  if (ifNoneMatch !== undefined) return hasTag(ifNoneMatch, etag);
  if (ifModifiedSince === undefined || !isDated || observedAt === null) return false;
  const since = Date.parse(ifModifiedSince);
  return since <= now && since >= Math.floor(observedAt / 1000) * 1000;
};

/**
 * A response as it is sent at `now`: JSON with `asOf` last, how old it is (`Age`, `Last-Modified`), its
 * tag, and 304 without a body where the sender has it already.
 */
export const replyWith = (
  written: WrittenResponse,
  now: number,
  accepts: Accepts,
  bytes: () => SentBytes,
): Reply => {
  const { etag, observedAt } = written;
  const headers: Record<string, string> = {
    etag,
    'cache-control': 'private, no-cache',
    vary: 'Authorization, Accept-Encoding',
  };
  if (written.link !== undefined) headers.link = written.link;
  if (observedAt !== null) {
    headers.age = String(Math.max(0, Math.floor((now - observedAt) / 1000)));
    headers['last-modified'] = new Date(observedAt).toUTCString();
  }
  if (isKnown(written, now, accepts)) return { status: 304, headers, body: null };
  const { bytes: body, encoding } = bytes();
  headers['content-type'] = 'application/json';
  if (encoding !== null) headers['content-encoding'] = encoding;
  return { status: 200, headers, body };
};
