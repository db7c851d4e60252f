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

export interface HttpClocks {
  /** Measures requests. */
  readonly clock: Clock;
  /** Real time, for waits. */
  readonly machine: Clock;
}

export interface EndedExchange extends Exchange {
  readonly tookMs: number;
}

export interface Responding {
  respond(request: Request, bindings: HttpBindings & { exchange: Exchange }): Promise<Response>;
  /** The problem for an error of `respond`. */
  failed(error: unknown): RefusedError;
  /** Called after each response, and when the client has gone. */
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
const STOP_GRACE_MS = 5000; // the process has 10 s to stop
/** Limits for reading an unwanted body, so that its sender reads the response. */
const LINGER_MS = 1000;
const LINGER_BYTES = 4 * 1024 * 1024;

/** The problem for an error of Node's parser. */
const unreadable = ({ code }: NodeJS.ErrnoException): RefusedError =>
  new RefusedError(
    'invalid-parameter',
    code === 'HPE_HEADER_OVERFLOW'
      ? 'The headers are larger than 16 KiB. Send fewer or shorter ones.'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'The request did not arrive in time. Send it again.'
        : 'The request is not valid HTTP/1.1.',
  );

/** True unless the body is known to be small. */
const isLarge = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > LARGEST_BODY_BYTES;

/** Reads and drops a body, up to a limit of time and size. */
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
  await machine.sleep(LINGER_MS, over.signal).catch(() => {}); // aborted when dropped
};

/**
 * Sockets of the service. Invalid or slow requests get a problem response. A response may be sent before
 * the request's body was read: a small body is dropped. After a larger one the connection closes, once
 * the sender had time to read the response.
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
        hostname: 'localhost', // HTTP/1.0 may omit Host
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
   * @returns the port
   * @throws UsageError when the address is taken or invalid
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

  /** Rejects new connections and closes open ones after their response. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = once(this.#server, 'close');
    for (const response of this.#underWay.keys()) this.#lastOf(response);
    this.#server.close();
    const isClosed = new AbortController();
    this.#closeIdle(isClosed.signal).catch(() => {}); // aborted when closed
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
      this.#answering.ended(request, response, { ...exchange, tookMs });
    });
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
    if (this.#isClosing) this.#lastOf(response);
  }

  /** Marks a socket whose remaining input belongs to an answered request. */
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
      this.#lastOf(outgoing); // the client may still send its body
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

  /** Sends the response at once, but ends it only when the body was dropped. */
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

  #refusalOf(error: unknown): RefusedError {
    return error instanceof RequestError
      ? new RefusedError(
          'invalid-parameter',
          `The URL or the Host header is invalid: ${error.message}.`,
        )
      : this.#answering.failed(error);
  }

  /** Sends a problem for input that is not HTTP, too large or too slow, and closes the socket. */
  async #endUnreadable(error: NodeJS.ErrnoException, socket: Duplex): Promise<void> {
    const isAnswered = this.#answeredEarly.has(socket);
    // browsers preconnect, and would take an error for the response to their first request
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
