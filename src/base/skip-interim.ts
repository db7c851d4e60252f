import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';

/** More before one response are left to undici, which ends the request over a `100 Continue`. */
const MOST_SKIPPED = 20;
const LONGEST_BYTES = 16 * 1024;
/** Any 1xx but 101, which changes the protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d(?: [^\r\n]*)?\r?\n(?:[^\r\n]+\r?\n)*\r?\n/;
const BEGINNINGS = ['HTTP/1.1 1', 'HTTP/1.0 1'];

/** True for text that may become an interim response with what follows. */
const isBegun = (text: string): boolean =>
  text.length < LONGEST_BYTES &&
  !text.startsWith('01', BEGINNINGS[0]?.length) &&
  BEGINNINGS.some((beginning) => beginning.startsWith(text.slice(0, beginning.length)));

/** Reads what a socket receives after each write, without the interim responses it begins with. */
class InterimFilter {
  readonly #read: Socket['read'];
  /** Received since the last write, while it may be the beginning of one. */
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
 * Connects as `connect` does, over sockets that skip interim responses. A server may send a
 * `100 Continue` that nobody asked for (RFC 9110, 15.2), over which undici closes the connection.
 */
export const skippingInterim =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, done) =>
    connect(options, (...connected) => {
      const [, socket] = connected;
      if (socket && (socket as TLSSocket).alpnProtocol !== 'h2') {
        const filter = new InterimFilter(socket);
        const write = socket.write.bind(socket) as (...of: unknown[]) => boolean;
        socket.read = (size) => filter.read(size);
        socket.write = (...of: unknown[]) => {
          filter.begin();
          return write(...of);
        };
      }
      done(...connected);
    });
