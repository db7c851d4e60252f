import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';

const FROM = Date.UTC(2026, 0, 1);
const DAYS = 200;
/** Every video is seen in so many nights, from its first one on. */
export const NIGHTS_SEEN = 5;
const TAGS = 50_000;
const LINES_A_WRITE = 1000;

const platformOf = (key: number): string => ['tiktok', 'instagram', 'youtube'][key % 3] as string;
const idOf = (key: number): string =>
  `${['tt', 'ig', 'yt'][key % 3]}_7${String(key).padStart(15, '0')}`;

const videoLine = (key: number, videos: number): string =>
  JSON.stringify({
    id: idOf(key),
    platform: platformOf(key),
    title: `clip ${key} of ${(key * 7919) % 4999} things`,
    user: `user${(key * 7919) % (1 + Math.floor(videos / 5))}`,
    createdAt: new Date(FROM + key * Math.floor((DAYS * DAY_MS) / videos)).toISOString(),
    tags: [0, 1, 2].map((p) => `tag${(key * 31 + p * 7919 * (p + 1)) % TAGS}`),
  });

const snapshotLine = (key: number, night: number, nth: number): string => {
  const views = Math.floor(((1000 + ((key * 7919) % 1_000_003)) * (nth + 1)) / (nth + 2));
  const at = new Date(FROM + (night + 1) * DAY_MS + (key % 60) * 60_000 + HOUR_MS).toISOString();
  return JSON.stringify({ id: idOf(key), at, views, likes: Math.floor(views / 20) });
};

const write = async (path: string, lines: Iterable<string>): Promise<void> => {
  const gzip = createGzip({ level: 1 });
  const file = gzip.pipe(createWriteStream(path));
  let some: string[] = [];
  const flush = async (): Promise<void> => {
    if (!gzip.write(`${some.join('\n')}\n`)) await once(gzip, 'drain');
    some = [];
  };
  for (const line of lines) if (some.push(line) === LINES_A_WRITE) await flush();
  if (some.length > 0) await flush();
  gzip.end();
  await finished(file);
};

function* videoLines(videos: number): Generator<string> {
  for (let key = 0; key < videos; key++) yield videoLine(key, videos);
}

/** Night by night: what is new that day and what was new in the days before. */
function* snapshotLines(videos: number): Generator<string> {
  const ofDay = Math.ceil(videos / DAYS);
  for (let night = 0; night < DAYS + NIGHTS_SEEN; night++)
    for (let nth = NIGHTS_SEEN - 1; nth >= 0; nth--) {
      const day = night - nth;
      for (let key = Math.max(0, day * ofDay); key < Math.min(videos, (day + 1) * ofDay); key++)
        yield snapshotLine(key, night, nth);
    }
}

/** Writes the files of an import into a folder: so many videos, five snapshots and three hashtags each. */
export const makeInput = async (folder: string, videos: number): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  await write(join(folder, 'videos.ndjson.gz'), videoLines(videos));
  await write(join(folder, 'snapshots.ndjson.gz'), snapshotLines(videos));
};
