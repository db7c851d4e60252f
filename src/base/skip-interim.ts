import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';

/** undici handles further ones, but fails the request on a `100 Continue`. */
const MOST_SKIPPED = 20;
const LONGEST_BYTES = 16 * 1024;
/** Any 1xx except 101, which changes the protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d(?: [^\r\n]*)?\r?\n(?:[^\r\n]+\r?\n)*\r?\n/;
const BEGINNINGS = ['HTTP/1.1 1', 'HTTP/1.0 1'];

/** True if the text may be the start of an interim response. */
const isBegun = (text: string): boolean =>
  text.length < LONGEST_BYTES &&
  !text.startsWith('01', BEGINNINGS[0]?.length) &&
  BEGINNINGS.some((beginning) => beginning.startsWith(text.slice(0, beginning.length)));

/** Reads a socket after each write and drops interim responses. */
class InterimFilter {
  readonly #read: Socket['read'];
  /** Received since the last write, while it may be the start of an interim response. */
  #held: Buffer | undefined;
  #skipped = 0;

  constructor(socket: Socket) {
    this.#read = socket.read.bind(socket);
  }

  begin(): void {
    this.#held ??= Buffer.alloc(0);
    this.#skipped = 0;
  }

  read(size?: number): Buffer | null {
    for (;;) {
      const chunk: Buffer | null = this.#read(size);
      if (chunk === null || this.#held === undefined) return chunk;
      let rest = Buffer.concat([this.#held, chunk]);
      for (; this.#skipped < MOST_SKIPPED; this.#skipped += 1) {
        const [head] = INTERIM.exec(rest.toString('latin1', 0, LONGEST_BYTES)) ?? [];
        if (head === undefined) break;
        rest = rest.subarray(head.length);
      }
      const isOpen = isBegun(rest.toString('latin1', 0, LONGEST_BYTES));
      this.#held = isOpen && this.#skipped < MOST_SKIPPED ? rest : undefined;
      if (this.#held === undefined && rest.length > 0) return rest;
    }
  }
}

/**
 * Wraps `connect` so that sockets skip interim responses. undici closes the connection on an
 * unexpected `100 Continue`, which servers may send (RFC 9110, 15.2).
 */
export const skippingInterim =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, done) =>
    connect(options, (...connected) => {
      const [, socket] = connected;
      if (socket && (socket as TLSSocket).alpnProtocol !== 'h2') {
        const filter = new InterimFilter(socket);
        const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
        socket.read = (size) => filter.read(size);
        socket.write = (...args: unknown[]) => {
          filter.begin();
          return write(...args);
        };
      }
      done(...connected);
    });
