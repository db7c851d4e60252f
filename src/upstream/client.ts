import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { type Dispatcher, request as sendRequest } from 'undici';
import type { Config } from '../base/config/config.ts';
import type { UpstreamSettings } from '../base/config/upstream-settings.ts';
import { connectionFailure, isProxyRefusal } from '../base/connection-failure.ts';
import { messageOf } from '../base/errors.ts';
import { hiding } from '../base/hidden-forms.ts';
import { openAgent } from '../base/open-agent.ts';
import { readBounded } from '../base/read-bounded.ts';
import { wireRequest } from './dialect.ts';
import {
  CallError,
  NoResponseError,
  ProxyRefusedError,
  RequestRefusedError,
  UnreachableError,
} from './errors.ts';
import type { AnyRequest, HttpRequest } from './request.ts';

/** A whole, decompressed response of any status. */
export interface RawResponse {
  status: number;
  /** Header fields in lower case; a repeated field joined by `, `. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** Sends one request and returns its response. */
export interface ApiClient {
  /**
   * @throws NoResponseError when no whole response came in time, or it was too large;
   *   UnreachableError without a connection, so that nothing was sent
   */
  send(request: AnyRequest, signal?: AbortSignal): Promise<RawResponse>;
  close(): Promise<void>;
}

/** More than any page or timeline needs. A larger response is abandoned while it arrives. */
const LARGEST_BODY_BYTES = 8 * 1024 * 1024;

/** The most nested encodings that are decoded. A body with more of them is an attack. */
const MOST_ENCODINGS = 3;

type Unpack = (packed: Buffer, bounds: { maxOutputLength: number }) => Promise<Buffer>;

const UNPACK: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Decodes a body. The header lists its encodings in the order they were applied. */
const unpackAll = async (body: Buffer, encodings: string, status: number): Promise<Buffer> => {
  let unpacked = body;
  for (const name of encodings.split(',').slice(-MOST_ENCODINGS).reverse())
    unpacked = await unpack(unpacked, name, status);
  return unpacked;
};

const unpack = async (body: Buffer, encoding: string, status: number): Promise<Buffer> => {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  const decompress = UNPACK.get(name);
  if (decompress === undefined)
    throw new NoResponseError(
      `The response is packed as ${JSON.stringify(encoding.slice(0, 40))}; trendlake asked for gzip, br or deflate.`,
      status,
    );
  try {
    return await decompress(body, { maxOutputLength: LARGEST_BODY_BYTES });
  } catch (error) {
    throw new NoResponseError(
      `The packed response (${name}) cannot be unpacked within ${LARGEST_BODY_BYTES} bytes: ${messageOf(error)}.`,
      status,
      error,
    );
  }
};

const plainHeaders = (
  headers: Record<string, string | string[] | undefined>,
  hide: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, hide(Array.isArray(value) ? value.join(', ') : value)]],
    ),
  );

/** Calls `left` when the connection of a request is open and it begins to be sent. */
const tellingWhenSent = (
  handler: Dispatcher.DispatchHandler,
  left: () => void,
): Dispatcher.DispatchHandler =>
  new Proxy(handler, {
    get: (target, name) => {
      if (name === 'onRequestStart')
        return (controller: Dispatcher.DispatchController, context: unknown): void => {
          left();
          target.onRequestStart?.(controller, context);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** A dispatcher for one request. It calls `left` once its connection is open. */
const through = (agent: Dispatcher, left: () => void): Dispatcher =>
  agent.compose(
    (dispatch) => (options, handler) => dispatch(options, tellingWhenSent(handler, left)),
  );

/** Address, key and timeout of requests. */
interface ApiConfig extends Pick<Config, 'timeoutMs'>, Partial<Pick<Config, 'proxy'>> {
  readonly baseUrl: string;
  readonly apiKey: { reveal(): string };
  readonly upstream?: UpstreamSettings;
}

/**
 * A client of the interface. It sends each request once: retries are the throttle's, which counts
 * them. The key goes to the base URL alone; a redirect is a response, not followed.
 */
export class HttpApiClient implements ApiClient {
  readonly #baseUrl: string;
  readonly #timeoutMs: number;
  readonly #key: string;
  readonly #words: UpstreamSettings;
  /** Removes the key from a text, in case a service repeats it in any spelling. */
  readonly #hide: (text: string) => string;
  readonly #agent: Dispatcher;

  constructor({ baseUrl, apiKey, timeoutMs, upstream = {}, proxy }: ApiConfig) {
    this.#baseUrl = baseUrl;
    this.#words = upstream;
    this.#timeoutMs = timeoutMs;
    this.#key = apiKey.reveal();
    this.#hide = hiding(this.#key);
    this.#agent = openAgent(proxy, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  }

  async send(request: AnyRequest, signal?: AbortSignal): Promise<RawResponse> {
    const timeout = AbortSignal.timeout(this.#timeoutMs); // bodyTimeout alone lets a drip go on for ever
    let sent = false;
    const dispatcher = through(this.#agent, () => {
      sent = true;
    });
    const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      return await this.#receive(request, dispatcher, stop);
    } catch (error) {
      if (error instanceof CallError) throw error;
      const isProxy = isProxyRefusal(error);
      const Failure = isProxy ? ProxyRefusedError : sent ? NoResponseError : UnreachableError;
      if (signal?.aborted === true) throw new Failure('Given up: stopping.', null, error);
      const where = new URL(this.#baseUrl).origin;
      throw new Failure(
        timeout.aborted
          ? `No whole response from ${where} within ${this.#timeoutMs} ms.`
          : `No response from ${where}: ${connectionFailure(error) ?? messageOf(error)}.`,
        null,
        error,
      );
    }
  }

  /** @throws RequestRefusedError for a result at another host, which must not get the key */
  #address(request: AnyRequest): Pick<HttpRequest, 'method' | 'body'> & { url: string } {
    const { path, ...sent }: HttpRequest =
      request.kind === 'probe' ? request : wireRequest(request, this.#words);
    const url = this.#baseUrl + path;
    if (request.location === undefined) return { ...sent, url };
    const result = URL.parse(request.location, url);
    if (result?.origin !== new URL(url).origin)
      throw new RequestRefusedError(
        `The service answers later (202), at ${request.location.slice(0, 200)}. That is not the host of TRENDLAKE_BASE_URL, so the key is not sent there.`,
        202,
      );
    return { method: 'GET', url: result.href };
  }

  async #receive(
    request: AnyRequest,
    dispatcher: Dispatcher,
    signal: AbortSignal,
  ): Promise<RawResponse> {
    const { method, url, body: sent } = this.#address(request);
    const response = await sendRequest(url, {
      method,
      dispatcher,
      signal,
      headers: {
        authorization: `Bearer ${this.#key}`,
        accept: 'application/json',
        'accept-encoding': 'gzip, br, deflate',
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const packed = await readBounded(response.body, LARGEST_BODY_BYTES);
    if (packed === undefined)
      throw new NoResponseError(
        `The response is larger than ${LARGEST_BODY_BYTES} bytes.`,
        response.statusCode,
      );
    const headers = plainHeaders(response.headers, this.#hide);
    const encoding = headers['content-encoding'] ?? '';
    const unpacked =
      packed.length === 0 ? packed : await unpackAll(packed, encoding, response.statusCode);
    const text = unpacked.toString('latin1');
    const safe = this.#hide(text);
    const body = safe === text ? unpacked : Buffer.from(safe, 'latin1');
    return { status: response.statusCode, headers, body };
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}
