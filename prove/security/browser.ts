import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { launch } from 'puppeteer-core';
import type { Proof } from './proof.ts';
import type { Served } from './served.ts';

const folders = (process.env.PATH ?? '').split(delimiter);
const chromium = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => folders.map((folder) => join(folder, name)))
  .find((path) => spawnSync(path, ['--version']).status === 0);

const PATHS = [
  '/',
  '/metrics',
  '/docs',
  '/events',
  '/pipeline',
  '/query?sql=select+title+from+videos',
  '/health',
  '/v1/feed/tiktok',
  '/v1/usage',
  '/v1/webhooks',
  '/v1/openapi.json',
];
const WHAT = 'pages of other origins and other names, in a browser';

/** An expression that the page runs: everything a page of another origin could read. */
const reading = (url: string): string => `(async () => {
  const read = [];
  for (const mode of ['cors', 'no-cors', 'same-origin'])
    for (const credentials of ['include', 'omit'])
      try {
        const text = await (await fetch(${JSON.stringify(url)}, { mode, credentials })).text();
        if (text !== '') read.push(mode + ' ' + credentials);
      } catch {}
  return read;
})()`;
const framing = (url: string): string => `new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.src = ${JSON.stringify(url)};
  const told = () => { try { resolve(frame.contentDocument?.body?.innerText ?? '') } catch { resolve('') } };
  frame.onload = told;
  setTimeout(told, 2000);
  document.body.append(frame);
})`;

/** Hostile pages in a real browser: none reads, frames or posts to the service. */
export const proveBrowser = async ({ origin }: Served): Promise<Proof> => {
  if (chromium === undefined)
    return { what: WHAT, tried: 0, passed: [], measured: 'no Chromium here: not tried' };
  const hostile = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><body>hostile'),
  );
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
  const elsewhere = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/`;
  const { port } = new URL(origin);
  const browser = await launch({
    executablePath: chromium,
    args: ['--no-sandbox', '--host-resolver-rules=MAP rebound.example 127.0.0.1'],
  });
  const passed: string[] = [];
  let tried = 0;
  try {
    const page = await browser.newPage();
    await page.goto(elsewhere);
    for (const path of PATHS) {
      tried += 7;
      const read = (await page.evaluate(reading(origin + path))) as string[];
      for (const how of read) passed.push(`${path} read by another origin (${how})`);
      const framed = (await page.evaluate(framing(origin + path))) as string;
      if (framed !== '') passed.push(`${path} framed and read`);
    }
    for (const path of PATHS) {
      tried += 1;
      const response = await page.goto(`http://rebound.example:${port}${path}`);
      if ((response?.status() ?? 0) < 400) passed.push(`${path} read under another name`);
    }
  } finally {
    await browser.close();
    hostile.close();
  }
  return { what: WHAT, tried, passed, measured: '' };
};
