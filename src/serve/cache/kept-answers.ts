import type { IncomingMessage, ServerResponse } from 'node:http';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import { noteKey } from '../access-log.ts';
import {
  acceptsGzip,
  bytesOf,
  replyWith,
  type SentBytes,
  type WrittenAnswer,
  writtenAt,
} from '../answer.ts';
import type { Admit } from '../auth/authenticate.ts';

/** An answer that may be given again, and for which instants of the service's clock it holds. */
interface Holding {
  /** What of the address was asked for, as the routes read it. */
  readonly path: string;
  readonly written: WrittenAnswer;
  readonly version: number; // of the lake it was read from
  readonly from: number; // Unix ms
  readonly until: number; // Unix ms, exclusive
  /** True where it is true at whatever instant it is given, not at one of its own. */
  readonly isOfItsInstant: boolean;
}

/** An answer kept under its address, as it was sent last. */
interface Kept extends Holding {
  written: WrittenAnswer;
  gzipped: SentBytes | undefined;
}

/** Bytes of answers and addresses kept at most (compressed answers beside them); the least recently sent go first. */
const KEPT_BYTES = 6_000_000;

/** About what keeping an answer takes beside its bytes and its address. */
const ENTRY_BYTES = 1000;

/** What an answer takes in memory; its address is kept as it came and as the routes read it. */
const weightOf = (address: string, { written }: Kept): number =>
  written.bytes.length + 2 * address.length + ENTRY_BYTES;

/** Addresses remembered as asked at most, and the longest of them. */
const ASKED_MOST = 2000;
const LONGEST_ADDRESS = 512;

/** Answers that may be given again, by address (path and query as they came). */
export interface Replay {
  /** Keeps an answer whose address was asked before; most are asked once, and keeping costs them. */
  keep(address: string, holding: Holding): void;
  /**
   * Sends the kept answer, if there is one that holds. Undefined: nothing was done or counted.
   * Rejects when the request could not be counted; then nothing was sent.
   */
  send(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined;
}

/**
 * Gives repeated questions the answer they got before, for as long as the lake is not written to
 * and computing it anew would give the same. Each is admitted and counted like any other request.
 */
export const replayOf = (lake: Lake, admit: Admit, now: () => number): Replay => {
  const held = new Map<string, Kept>();
  const asked = new Set<string>();
  let bytesHeld = 0;

  /** Notes that an address was asked. The one noted first is forgotten first. */
  const note = (address: string): void => {
    if (address.length > LONGEST_ADDRESS) return;
    asked.add(address);
    if (asked.size <= ASKED_MOST) return;
    for (const oldest of asked) {
      asked.delete(oldest);
      return;
    }
  };

  const drop = (address: string): void => {
    const kept = held.get(address);
    if (kept === undefined) return;
    bytesHeld -= weightOf(address, kept);
    held.delete(address);
  };

  const find = (address: string, at: number): Kept | undefined => {
    const kept = held.get(address);
    if (kept === undefined) return undefined;
    if (kept.version !== lakeVersion(lake) || at < kept.from || at >= kept.until) {
      drop(address);
      note(address);
      return undefined;
    }
    held.delete(address); // and set again: the map's order is the order of use
    held.set(address, kept);
    return kept;
  };

  /** What is sent of a kept answer at `at`; an instant's text is as long as another's. */
  const bytesAt = (kept: Kept, at: number, gzip: boolean): SentBytes => {
    const written = kept.isOfItsInstant ? writtenAt(kept.written, at) : kept.written;
    if (written !== kept.written) {
      kept.written = written;
      kept.gzipped = undefined;
    }
    if (!gzip) return bytesOf(written, false);
    kept.gzipped ??= bytesOf(written, true);
    return kept.gzipped;
  };

  const sendKept = async (
    kept: Kept,
    at: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const { authorization, 'if-none-match': ifNoneMatch } = request.headers;
    const admitted = await admit(authorization, 'GET', kept.path);
    if (admitted.standing !== undefined) noteKey(response, admitted.standing.id);
    for (const [name, value] of Object.entries(admitted.headers)) response.setHeader(name, value);
    if (admitted.refusal !== undefined) {
      const { status, headers, body } = admitted.refusal.reply();
      response.writeHead(status, headers).end(body);
      return;
    }
    const gzip = acceptsGzip(request.headers['accept-encoding']);
    const reply = replyWith(kept.written, at, { ifNoneMatch, gzip }, () => bytesAt(kept, at, gzip));
    if (reply.body !== null) reply.headers['content-length'] = String(reply.body.length);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  };

  return {
    keep: (address, holding) => {
      drop(address);
      if (!asked.delete(address)) {
        note(address);
        return;
      }
      const kept: Kept = { ...holding, gzipped: undefined };
      held.set(address, kept);
      bytesHeld += weightOf(address, kept);
      for (const oldest of held.keys()) {
        if (bytesHeld <= KEPT_BYTES) break;
        drop(oldest);
      }
    },
    send: (request, response) => {
      const at = now();
      const kept = request.method === 'GET' ? find(request.url ?? '', at) : undefined;
      return kept === undefined ? undefined : sendKept(kept, at, request, response);
    },
  };
};
