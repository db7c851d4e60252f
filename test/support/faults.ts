import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { answerJson, type Exchange, type Fault } from './faulty-upstream.ts';

// Everything a service, or what stands before it, may do wrong.

/** An error answer, with a problem document. */
export const status =
  (code: number, headers: Record<string, string> = {}, detail = 'as the test asked'): Fault =>
  ({ response }) =>
    answerJson(response, { type: '/problems/x', title: 'x', status: code, detail }, code, headers);

/** Answers of 200 with another body. */
export const text =
  (body: string | Buffer, type = 'application/json'): Fault =>
  ({ response }) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };

/** The right answer, its body turned into other bytes under other headers. */
export const reencode =
  (turn: (json: string) => Buffer | string, headers: Record<string, string> = {}): Fault =>
  ({ response, body }) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(turn(JSON.stringify(body)));
  };

/** The right answer with something else in it. */
export const rewrite =
  (change: (body: Body) => unknown): Fault =>
  ({ response, body }) =>
    answerJson(response, change(structuredClone(body) as unknown as Body));
export interface Body {
  total: number | null;
  page: number;
  items: Record<string, unknown>[];
}

/** The right answer whose n-th item, 0 first, has other fields. */
export const item = (fields: Record<string, unknown>, n = 0): Fault =>
  rewrite((body) => ({ ...body, items: body.items.with(n, { ...body.items[n], ...fields }) }));

/** Never answers. */
export const hang: Fault = () => {};

/** Answers a byte now and then, for ever. */
export const drip: Fault = ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

/** Closes the connection once so many bytes of the raw answer have left; 0: before any. */
export const resetAfter =
  (bytes: number): Fault =>
  ({ request, body }) => {
    const json = JSON.stringify(body);
    const raw = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
    request.socket.write(raw.slice(0, bytes), () => request.socket.resetAndDestroy());
  };

/** Headers, and then nothing. */
export const stall: Fault = ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
};

const START = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** Half of the answer, the connection then closed in order, under further header lines. */
const half =
  (headers: (json: string) => string, frame: (part: string) => string): Fault =>
  ({ request, body }) => {
    const json = JSON.stringify(body);
    const part = json.slice(0, json.length / 2);
    request.socket.end(`${START}${headers(json)}\r\n\r\n${frame(part)}`);
  };
const asIs = (part: string): string => part;

/** Ended as if it were whole: nothing but the JSON tells. */
export const cutWithoutLength = half(() => 'connection: close', asIs);

/** Ended before the length it promised. */
export const cutWithLength = half((json) => `content-length: ${Buffer.byteLength(json)}`, asIs);

/** Ended before the last chunk. */
export const cutInChunks = half(
  () => 'transfer-encoding: chunked',
  (part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`,
);

/** No HTTP at all. */
export const noHttp: Fault = ({ request }) => void request.socket.end('SSH-2.0-OpenSSH_9.9\r\n');

const CHUNK = Buffer.alloc(1 << 20, ' ');

/** A megabyte of blanks as often as it is read, so many times. */
const blanks = (response: ServerResponse, megabytes: number): void => {
  let left = megabytes;
  const more = (): void => {
    while (!response.destroyed && left > 0) {
      left -= 1;
      if (!response.write(CHUNK)) return void response.once('drain', more);
    }
    if (!response.destroyed) response.end();
  };
  more();
};

/** Blanks for ever, as fast as they are read. */
export const endless: Fault = ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  blanks(response, Number.POSITIVE_INFINITY);
};

/** A body of a hundred megabytes that says so. */
export const hundredMegabytes: Fault = ({ response }) => {
  const length = String(100 << 20);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  blanks(response, 100);
};

const PACK = {
  gzip: (bytes: Buffer) => gzipSync(bytes, { level: 1 }),
  br: (bytes: Buffer) =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  deflate: (bytes: Buffer) => deflateSync(bytes, { level: 1 }),
};
const packed = new Map<keyof typeof PACK, Buffer>();

/** A few kilobytes that unpack to a hundred megabytes. */
export const bomb =
  (encoding: keyof typeof PACK): Fault =>
  ({ response }) => {
    const body = packed.get(encoding) ?? PACK[encoding](Buffer.alloc(100 << 20, ' '));
    packed.set(encoding, body);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-encoding': encoding,
    });
    response.end(body);
  };

/** Points elsewhere. */
export const redirect =
  (code: number, to: string): Fault =>
  ({ response, request }) => {
    response.writeHead(code, { location: `${to}${request.url}` });
    response.end();
  };

/** A service that says back what it was sent, key and all. */
export const echo =
  (code: number): Fault =>
  ({ response, request, body }: Exchange) => {
    const said = `you sent ${request.headers.authorization}`;
    const problem = { title: said, detail: said };
    answerJson(response, code === 200 ? { ...body, ...problem } : problem, code, {
      'x-echo': said,
    });
  };
