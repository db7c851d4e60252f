import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import type { Clock } from '../../base/clock.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import type { Exchange } from '../request/context.ts';
import { LARGEST_BODY_BYTES } from './body.ts';
import { problemResponse, RefusedError } from './problems.ts';

/** The time requests are measured in, and the machine's, to wait by. */
export interface HttpClocks {
  readonly clock: Clock;
  readonly machine: Clock;
}

/** A request that is over. */
export interface EndedExchange {
  readonly keyId: string | undefined;
  readonly tookMs: number;
}

/** What answers the requests that a server reads. */
export interface Responding {
  respond(request: Request, bindings: HttpBindings & { exchange: Exchange }): Promise<Response>;
  /** What is sent where answering failed. */
  failed(error: unknown): RefusedError;
  /** Told of each request whose response has left, or whose sender has. */
  ended(request: IncomingMessage, response: ServerResponse, ended: EndedExchange): void;
}

const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
};
const SECURITY_HEADERS = Object.entries({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
});
const SILENT_SOCKET_MS = 120_000;
const IDLE_CHECK_MS = 20;
const STOP_GRACE_MS = 5000; // a process has ten seconds for all it does to stop
/** How long, and how much, is read of a body that nobody wants, so that its sender reads the response. */
const LINGER_MS = 1000;
const LINGER_BYTES = 4 * 1024 * 1024;

/** What Node's parser could not read, in words. */
const unreadable = ({ code }: NodeJS.ErrnoException): RefusedError =>
  new RefusedError(
    'invalid-parameter',
    code === 'HPE_HEADER_OVERFLOW'
      ? 'The headers are larger than 16 KiB. Send fewer or shorter ones.'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'The request did not arrive in time. Send it again.'
        : 'The request is not valid HTTP/1.1.',
  );

/** Whether a request carries a body that is not surely small. */
const isLarge = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > LARGEST_BODY_BYTES;

/** Reads and drops what comes of a body, up to bounds of time and size. */
const dropBody = async (request: IncomingMessage, machine: Clock): Promise<void> => {
  const over = new AbortController();
  let bytes = 0;
  const end = (): void => over.abort();
  for (const event of ['end', 'close', 'error']) request.once(event, end);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) end();
  });
  request.resume();
  await machine.sleep(LINGER_MS, over.signal).catch(() => {}); // it was dropped before
};

/**
 * The sockets of the service. What is not HTTP, or too slow, is told so and ended; a request is handed
 * on with its exchange; a response that leaves before its request's body was read never cuts its sender
 * off: a small body is read and dropped, after a larger one the connection is said to close and closes
 * once the sender had time to read the response.
 */
export class HttpServer {
  readonly #server: Server;
  readonly #answering: Responding;
  readonly #clock: Clock;
  readonly #machine: Clock;
  readonly #underWay = new Map<ServerResponse, Exchange>();
  readonly #answeredEarly = new Set<Duplex>();
  #isClosing = false;

  constructor(answering: Responding, { clock, machine }: HttpClocks) {
    this.#answering = answering;
    this.#clock = clock;
    this.#machine = machine;
    const listener = getRequestListener(
      (request, { incoming, outgoing }) =>
        // HTTP/1.1 only
        this.#answer(request, incoming as IncomingMessage, outgoing as ServerResponse),
      {
        hostname: 'localhost', // where the sender names none: HTTP/1.0
        autoCleanupIncoming: false,
        errorHandler: (error) => problemResponse(this.#refusalOf(error)),
      },
    );
    const handle = (exchange: Exchange) => (request: IncomingMessage, response: ServerResponse) => {
      this.#begin(request, response, { ...exchange });
      void listener(request, response);
    };
    this.#server = createServer({ ...TIMEOUTS, requireHostHeader: false }, handle({}));
    this.#server.on('checkContinue', handle({ awaitsContinue: true }));
    this.#server.on('checkExpectation', handle({ expectsOther: true }));
    this.#server.setTimeout(SILENT_SOCKET_MS);
    this.#server.on('clientError', (error, socket) => void this.#endUnreadable(error, socket));
  }

  /**
   * Resolves to the port it listens on.
   * @throws UsageError when the address is taken or cannot be listened on
   */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host);
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      throw new UsageError(
        `The service cannot listen on ${host}:${port}: ${messageOf(error)}. Choose another --port (0 picks a free one) or --host.`,
        { cause: error },
      );
    }
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no new connections; whoever is answered until the last has gone is told to send no more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = once(this.#server, 'close');
    for (const response of this.#underWay.keys()) this.#lastOf(response);
    this.#server.close();
    const isClosed = new AbortController();
    this.#closeIdle(isClosed.signal).catch(() => {}); // all are closed
    await closed;
    isClosed.abort();
  }

  async #closeIdle(signal: AbortSignal): Promise<never> {
    const startedAt = this.#machine.monotonic();
    for (;;) {
      await this.#machine.sleep(IDLE_CHECK_MS, signal);
      this.#server.closeIdleConnections();
      if (this.#machine.monotonic() - startedAt > STOP_GRACE_MS) this.#server.closeAllConnections();
    }
  }

  #lastOf(response: ServerResponse): void {
    if (!response.headersSent) response.setHeader('connection', 'close');
  }

  #begin(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
    this.#underWay.set(response, exchange);
    const from = this.#clock.monotonic();
    response.on('close', () => {
      this.#underWay.delete(response);
      if (!request.complete) this.#endedEarly(request);
      const tookMs = this.#clock.monotonic() - from;
      this.#answering.ended(request, response, { keyId: exchange.keyId, tookMs });
    });
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
    if (this.#isClosing) this.#lastOf(response);
  }

  /** Remembers that what still comes over a socket was answered already. */
  #endedEarly({ socket }: IncomingMessage): void {
    if (socket.destroyed) return;
    this.#answeredEarly.add(socket);
    socket.once('close', () => this.#answeredEarly.delete(socket));
  }

  async #answer(
    request: Request,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<Response> {
    const exchange = this.#underWay.get(outgoing) ?? {};
    const refusal = this.#expectation(incoming, exchange);
    const response =
      refusal === undefined
        ? await this.#answering.respond(request, { incoming, outgoing, exchange })
        : problemResponse(refusal);
    if (incoming.complete) return response;
    if (exchange.awaitsContinue === true) {
      this.#lastOf(outgoing); // whether the body comes after all is the sender's to choose
      return response;
    }
    return isLarge(incoming) ? this.#lingering(response, incoming, outgoing) : response;
  }

  #expectation({ headers }: IncomingMessage, exchange: Exchange): RefusedError | undefined {
    if (exchange.expectsOther !== true) return undefined;
    const detail = `Expected 100-continue or no Expect header; got "${headers.expect?.slice(0, 60)}".`;
    return new RefusedError('invalid-parameter', `Expect: ${detail}`, {
      errors: [{ parameter: 'Expect', detail }],
    });
  }

  /** A response that is whole at once, but whose connection ends only when the body was dropped. */
  async #lingering(
    response: Response,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<Response> {
    this.#lastOf(outgoing);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const machine = this.#machine;
    const headers = {
      ...Object.fromEntries(response.headers),
      'content-length': `${bytes.length}`,
    };
    const body = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        if (bytes.length > 0) controller.enqueue(bytes);
        await dropBody(incoming, machine);
        controller.close();
      },
    });
    return new Response(body, { status: response.status, headers });
  }

  /** An address or a Host that is none is the sender's mistake. */
  #refusalOf(error: unknown): RefusedError {
    return error instanceof RequestError
      ? new RefusedError(
          'invalid-parameter',
          `The URL or the Host header is invalid: ${error.message}.`,
        )
      : this.#answering.failed(error);
  }

  /** Answers what is not HTTP, too much of it or too slow with a problem as well, and ends it. */
  async #endUnreadable(error: NodeJS.ErrnoException, socket: Duplex): Promise<void> {
    const isAnswered = this.#answeredEarly.has(socket);
    // browsers open connections ahead; words on one would be taken for the answer to its first request
    const isUnused = socket instanceof Socket && socket.bytesRead === 0;
    if (isAnswered || isUnused || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const body = await problemResponse(unreadable(error)).text();
    socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await this.#machine.sleep(LINGER_MS);
    socket.destroy();
  }
}
