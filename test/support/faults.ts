import { brotliCompressSync, gzipSync } from 'node:zlib';
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

/** The right answer whose first item has other fields. */
export const item = (fields: Record<string, unknown>): Fault =>
  rewrite((body) => ({
    ...body,
    items: [Object.assign(body.items[0] ?? {}, fields), ...body.items.slice(1)],
  }));

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

/** Half of the answer, ended as if it were whole: nothing but the JSON tells. */
export const cutWithoutLength: Fault = ({ request, body }) => {
  const json = JSON.stringify(body);
  request.socket.end(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${json.slice(0, json.length / 2)}`,
  );
};

/** So many bytes of blanks and more, as fast as they are read. */
export const endless: Fault = ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(1 << 20, ' ');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};

/** A few kilobytes that unpack to a hundred megabytes. */
export const bomb = (encoding: 'gzip' | 'br'): Fault => {
  const blanks = Buffer.alloc(100 << 20, ' ');
  const packed = encoding === 'gzip' ? gzipSync(blanks, { level: 1 }) : brotliCompressSync(blanks);
  return ({ response }) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-encoding': encoding,
    });
    response.end(packed);
  };
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
    answerJson(response, { ...body, detail: said, title: said }, code, { 'x-echo': said });
  };
