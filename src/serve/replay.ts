import type { IncomingMessage, ServerResponse } from 'node:http';
import { lakeVersion } from '../lake/lake-version.ts';
import type { Lake } from '../lake/open.ts';
import { noteKey } from './access-log.ts';
import { acceptsGzip, bytesOf, replyWith, type WrittenAnswer } from './answer.ts';
import type { Admit } from './authenticate.ts';

type Bytes = ReturnType<typeof bytesOf>;

/** An answer kept under its address, and for which instants of the service's clock it holds. */
interface Kept {
  readonly written: WrittenAnswer;
  readonly version: number; // of the lake it was read from
  readonly from: number; // Unix ms
  readonly until: number; // Unix ms, exclusive
  /** The instant it is true at; null: whenever it is asked. */
  readonly asOf: number | null;
  bytes: { readonly asOf: number; readonly plain?: Bytes; readonly gzip?: Bytes };
}

/** Text as the bytes it is sent as, so that sending it again encodes nothing. */
const encoded = ({ bytes, encoding }: Bytes): Bytes => ({
  bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
  encoding,
});

/** Answers kept at most, counted as text (their bytes are kept beside it); the least recently sent go first. */
const KEPT_CHARACTERS = 4_000_000;

/** Answers that may be given again, by address (path and query as they came). */
export interface Replay {
  keep(address: string, kept: Omit<Kept, 'bytes'>): void;
  /** Sends the kept answer, if there is one that holds. False: nothing was done or counted. */
  send(request: IncomingMessage, response: ServerResponse): boolean;
}

/**
 * Gives repeated questions the answer they got before, for as long as the lake is not written to
 * and computing it anew would give the same. Each is admitted and counted like any other request.
 */
export const replayOf = (lake: Lake, admit: Admit, now: () => number): Replay => {
  const held = new Map<string, Kept>();
  let characters = 0;

  const drop = (address: string): void => {
    characters -= held.get(address)?.written.body.length ?? 0;
    held.delete(address);
  };

  const find = (address: string, at: number): Kept | undefined => {
    const kept = held.get(address);
    if (kept === undefined) return undefined;
    if (kept.version !== lakeVersion(lake) || at < kept.from || at >= kept.until) {
      drop(address);
      return undefined;
    }
    held.delete(address); // and set again: the map's order is the order of use
    held.set(address, kept);
    return kept;
  };

  const bytes = (kept: Kept, asOf: number, gzip: boolean): Bytes => {
    const same = kept.bytes.asOf === asOf ? kept.bytes : { asOf };
    const made = (gzip ? same.gzip : same.plain) ?? encoded(bytesOf(kept.written, asOf, gzip));
    kept.bytes = { ...same, [gzip ? 'gzip' : 'plain']: made };
    return made;
  };

  return {
    keep: (address, kept) => {
      drop(address);
      held.set(address, { ...kept, bytes: { asOf: -1 } });
      characters += kept.written.body.length;
      for (const oldest of held.keys()) {
        if (characters <= KEPT_CHARACTERS) break;
        drop(oldest);
      }
    },
    send: (request, response) => {
      const at = now();
      const address = request.url ?? '';
      const kept = request.method === 'GET' ? find(address, at) : undefined;
      if (kept === undefined) return false;
      const { authorization, 'if-none-match': ifNoneMatch } = request.headers;
      const admitted = admit(authorization, 'GET', address);
      if (admitted.standing !== undefined) noteKey(response, admitted.standing.id);
      for (const [name, value] of Object.entries(admitted.headers)) response.setHeader(name, value);
      if (admitted.refusal !== undefined) {
        const { status, headers, body } = admitted.refusal.reply();
        response.writeHead(status, headers).end(body);
        return true;
      }
      const gzip = acceptsGzip(request.headers['accept-encoding']);
      const reply = replyWith(kept.written, at, { ifNoneMatch, gzip }, () =>
        bytes(kept, kept.asOf ?? at, gzip),
      );
      if (reply.body === null) response.writeHead(reply.status, reply.headers).end();
      else {
        reply.headers['content-length'] = String(Buffer.byteLength(reply.body));
        response.writeHead(reply.status, reply.headers).end(reply.body);
      }
      return true;
    },
  };
};
