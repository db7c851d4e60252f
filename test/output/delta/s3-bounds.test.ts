import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { openStore } from '../../../src/output/delta/open-store.ts';
import type { TableStore } from '../../../src/output/delta/table-store.ts';
import { NOON_AT } from '../parquet/filled-lake.ts';

// A store that means harm. What it sends has an end, so that a client without bounds reads it all.

beforeAll(() => {
  process.env.AWS_ACCESS_KEY_ID = 'key-of-this-test';
  process.env.AWS_SECRET_ACCESS_KEY = 'secret-of-this-test';
});

const MIB = 1 << 20;
const CHUNK = Buffer.alloc(MIB, ' ');

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** A store over a server that responds so; `sent` counts what left, of `body` alone. */
const hostile = async (respond: Respond): Promise<{ store: TableStore; asked: string[] }> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.on('error', () => {});
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const store = await openStore('s3://bucket/tables', {
    env: { AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` },
    clock: virtualClock(NOON_AT),
    random: () => 0.5,
    signal: new AbortController().signal,
  });
  onTestFinished(() => store.close());
  return { store, asked };
};

/** A body of so many MiB that waits for its reader. */
const flood = (mebibytes: number, status = 200): { respond: Respond; sent: () => number } => {
  let sent = 0;
  const respond: Respond = (_, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    let left = mebibytes;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        sent += 1;
        if (!response.write(CHUNK)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };
  return { respond, sent: () => sent };
};

const listed = async (store: TableStore): Promise<number> => {
  let count = 0;
  for await (const _ of store.list('t/')) count += 1;
  return count;
};

describe('a response that is too large is given up, with what to do', () => {
  test.each<[string, number, number, (store: TableStore) => Promise<unknown>]>([
    ['an object', 200, 32, (store) => store.read('t/_last_checkpoint')],
    ['a list', 200, 8, (store) => listed(store)],
    ['a list of uploads', 200, 8, (store) => store.tidy('t/', NOON_AT)],
    ['the response to a write', 200, 8, (store) => store.replace('t/x', Buffer.from('x'))],
    ['the response to a removal', 200, 8, (store) => store.remove(['t/x'])],
    ['an error of a read', 400, 1, (store) => store.read('t/x')],
    ['an error of a list', 403, 1, (store) => listed(store)],
  ])('%s (HTTP %i)', async (_, status, most, ask) => {
    const { respond, sent } = flood(120, status);
    const { store } = await hostile(respond);
    await expect(ask(store)).rejects.toThrow(/more than \d+ bytes.*No S3 store.*AWS_ENDPOINT_URL/s);
    expect(sent()).toBeLessThan(most + 30); // what the sockets' buffers took beyond
  });
});

const page = (keys: readonly string[], more: string): string =>
  `<?xml version="1.0"?><ListBucketResult>${keys
    .map((key) => `<Contents><Key>tables/${key}</Key><Size>1</Size></Contents>`)
    .join('')}${more}</ListBucketResult>`;

describe('a list that does not end is given up', () => {
  test('one page after another', async () => {
    let pages = 0;
    const { store } = await hostile((_, response) => {
      pages += 1;
      const keys = Array.from({ length: 1000 }, (__, n) => `t/${pages}-${n}`);
      const goesOn = `<IsTruncated>true</IsTruncated><NextContinuationToken>${pages}</NextContinuationToken>`;
      response.end(page(keys, pages < 120 ? goesOn : ''));
    });
    await expect(listed(store)).rejects.toThrow(/a list of more than 100000 entries/);
    expect(pages).toBe(101);
  });

  test.each([
    ['does not say where it goes on', ''],
    ['goes on where it is', '<NextContinuationToken>same</NextContinuationToken>'],
  ])('that %s', async (_, token) => {
    let pages = 0;
    const { store } = await hostile((__, response) => {
      pages += 1;
      const goesOn = pages < 20 ? `<IsTruncated>true</IsTruncated>${token}` : '';
      response.end(page(['t/1'], goesOn));
    });
    await expect(listed(store)).rejects.toThrow(/next page is the same one/);
    expect(pages).toBeLessThan(4);
  });
});
