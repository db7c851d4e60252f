import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { feedText } from './feed-text.ts';

// A bare server in its own process, set up like the service. `/v1/feed/tiktok?...` runs the same
// statements for that page and JSON.stringify, and sends the bytes the service sends; with `constant` in
// the query it sends the first page, made once. No key, no checks, no tags. Stops when its input ends.

const [at = ''] = process.argv.slice(2);
const answer = (url: string): string => {
  const query = new URL(url, 'http://x').searchParams;
  return feedText(Number(at), Number(query.get('limit')), Number(query.get('page')));
};
const constant = answer('/?limit=50&page=1');

const server = createServer((request, response) => {
  const url = request.url ?? '';
  const body = url.endsWith('&constant') ? constant : answer(url);
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  console.log(JSON.stringify({ url }));
});
process.stdin.resume().once('end', () => process.exit());
