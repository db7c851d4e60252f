import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MINUTE_MS } from '../../src/base/durations.ts';
import { pagesOf, START_AT } from '../load/made-pages.ts';

// The service of bench/sync-peer.ts in its own process: pages of a feed of each platform, whose
// counts grow with `/grow`. Prints its port.

const PREFIXES = { tiktok: 'tt_', instagram: 'ig_', youtube: 'yt_' } as const;
const PLATFORMS = Object.keys(PREFIXES) as (keyof typeof PREFIXES)[];

const perList = Number(process.argv[2]);
let bodies: Buffer[] = [];
let generation = 0;

const platformAt = (index: number): keyof typeof PREFIXES =>
  PLATFORMS[Math.floor(index / perList)] ?? 'tiktok';

const grow = (): void => {
  const pages = perList * PLATFORMS.length;
  bodies = pagesOf(pages, START_AT + generation * pages * MINUTE_MS).map(({ body }, index) => {
    const platform = platformAt(index);
    const { items } = JSON.parse(body.toString()) as { items: { id: string }[] };
    const own = items.map((item) => ({
      ...item,
      id: item.id.replace('tt_', PREFIXES[platform]),
      platform,
    }));
    return Buffer.from(JSON.stringify({ total: perList * 100, page: 1, items: own }));
  });
  generation += 1;
};
grow();

const NONE = Buffer.from('{"total":0,"page":1,"items":[]}');

const server = createServer(({ url = '' }, response) => {
  if (url === '/grow') grow();
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const list = PLATFORMS.findIndex((platform) => pathname.endsWith(`/${platform}`));
  const page = Number(searchParams.get('page') ?? 1);
  const body = bodies[list * perList + page - 1] ?? NONE;
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(url === '/grow' ? { connection: 'close' } : {}), // the bench is deaf while a load runs
  });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
