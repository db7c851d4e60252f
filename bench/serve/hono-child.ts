import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { feedText } from './feed-text.ts';

// Hono alone in its own process: every request for a feed gets the bytes of the first page, made once.
// No key, no counting. Stops when its input ends.

const [at = ''] = process.argv.slice(2);
const text = feedText(Number(at), 50, 1);
const app = new Hono();
app.get('/v1/feed/:platform', (c) => c.body(text, 200, { 'content-type': 'application/json' }));
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  console.log(JSON.stringify({ url }));
});
process.stdin.resume().once('end', () => process.exit());
