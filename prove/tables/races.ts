import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { openLake, openLakeForReading } from '../../src/lake/open.ts';
import { type Proof, secondsSince, tableAt, urlOf } from './proof.ts';
import { publishOnce } from './publish-once.ts';
import { Reader } from './reader.ts';
import { fillLake, stateOf } from './small-lake.ts';

const CHILD = join(import.meta.dirname, 'lake-child.ts');
const VIDEOS = 20;
const DAYS = 2;
const READERS = 2;

interface Ack {
  mark: number;
  version: number;
  lostRaces: number;
}

/** One lake that publishes without a pause, in a process that is killed now and then. */
class Publisher {
  readonly name: string;
  readonly dataDir: string;
  readonly acks: Ack[] = [];
  kills = 0;
  readonly #env: NodeJS.ProcessEnv;
  readonly #url: string;
  #child: ChildProcess | undefined;

  constructor(proof: Proof, name: string) {
    this.name = name;
    this.dataDir = join(proof.folder, name);
    this.#env = { ...process.env, ...proof.store.env };
    this.#url = urlOf(proof);
    const lake = openLake(this.dataDir);
    fillLake(lake, { videos: VIDEOS, days: DAYS });
    lake.close();
  }

  /** Publishes until `commits` were acknowledged, and restarts after each kill. */
  async run(commits: number): Promise<void> {
    while (this.acks.length < commits) {
      const child = fork(CHILD, [this.dataDir, this.name, this.#url], { env: this.#env });
      this.#child = child;
      child.on('message', (ack: Ack) => {
        this.acks.push(ack);
        if (this.acks.length >= commits) child.kill('SIGKILL');
      });
      const [code] = await once(child, 'exit');
      if (code !== null) throw new Error(`the publisher of ${this.name} ended with ${code}`);
    }
    this.#child = undefined;
  }

  kill(): void {
    if (this.#child?.kill('SIGKILL') === true) this.kills += 1;
  }
}

/** Reads the table again and again; a read is torn when a lake's rows are of two states, or too few. */
const readOn = async (
  proof: Proof,
  { isOver, isDue, torn }: { isOver(): boolean; isDue(): boolean; torn: string[] },
): Promise<number[]> => {
  const reader = new Reader();
  const newest = new Map<string, number>();
  const tookMs: number[] = [];
  try {
    while (!isOver()) {
      if (!isDue()) {
        await delay(20);
        continue;
      }
      const startedAt = performance.now();
      const rows = await reader.query(
        `select lake, min(likes), max(likes), count(), uniqExact(video_id)
         from ${tableAt(proof, 'video_snapshots')} where date = '2024-01-01' group by lake`,
      );
      tookMs.push(performance.now() - startedAt);
      for (const [lake, least, most, count, videos] of rows) {
        const before = newest.get(String(lake)) ?? 0;
        const whole = least === most && Number(count) === VIDEOS && Number(videos) === VIDEOS;
        if (!whole || Number(least) < before)
          torn.push(`${lake}: marks ${least} to ${most} after ${before}, ${count} rows`);
        newest.set(String(lake), Number(least));
      }
    }
    return tookMs;
  } finally {
    reader.close();
  }
};

/** Number of acknowledged versions that the log does not have under the name of their publisher. */
const lostAcks = async (proof: Proof, publishers: readonly Publisher[]): Promise<number> => {
  const { key: accessKeyId, secret: secretAccessKey } = proof.store;
  const client = new S3Client({
    endpoint: proof.store.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  let lost = 0;
  for (const { name, acks } of publishers)
    for (const { version } of acks) {
      const Key = `tables/video_snapshots/_delta_log/${String(version).padStart(20, '0')}.json`;
      const read = client.send(new GetObjectCommand({ Bucket: proof.bucket, Key }));
      const text = await read.then(({ Body }) => Body?.transformToString()).catch(() => '');
      if (text?.includes(`"operationParameters":{"lake":"${name}"}`) !== true) lost += 1;
    }
  client.destroy();
  return lost;
};

/** Several lakes commit into the same tables at once, are killed, and are read meanwhile. */
export const proveRaces = async (
  proof: Proof,
  {
    lakes,
    commits,
    kills,
    reads,
  }: { lakes: number; commits: number; kills: number; reads: number },
): Promise<void> => {
  const publishers = Array.from({ length: lakes }, (_, i) => new Publisher(proof, `lake-${i}`));
  const startedAt = performance.now();
  let writing = true;
  const work = Promise.all(publishers.map((one) => one.run(commits))).finally(() => {
    writing = false;
  });
  const done = (): number => publishers.reduce((sum, { acks }) => sum + acks.length, 0);
  const killing = (async () => {
    for (let killed = 0; writing && killed < kills; ) {
      await delay(50);
      if (done() < ((killed + 1) * lakes * commits) / (kills + 1)) continue;
      publishers[killed % lakes]?.kill();
      killed += 1;
    }
  })();
  while (writing && publishers.some(({ acks }) => acks.length === 0)) await delay(100);
  const torn: string[] = [];
  // reads are spread over the commits, so that both are as many as asked for
  let begun = 0;
  const isOver = (): boolean => !writing;
  const isDue = (): boolean => {
    if (begun / reads > done() / (lakes * commits)) return false;
    begun += 1;
    return true;
  };
  const reading = Array.from({ length: READERS }, () => readOn(proof, { isOver, isDue, torn }));
  const tookMs = (await Promise.all(reading)).flat();
  await Promise.all([work, killing]);
  const seconds = secondsSince(startedAt);

  for (const { name, dataDir } of publishers) await publishOnce(proof, dataDir, name);
  const reader = new Reader();
  const there = await reader.query(
    `select lake, toString(count()), toString(sum(views)), toString(toUnixTimestamp64Milli(min(observed_at))), toString(toUnixTimestamp64Milli(max(observed_at)))
     from ${tableAt(proof, 'video_snapshots')} group by lake order by lake`,
  );
  reader.close();
  let unequal = 0;
  for (const { name, dataDir } of publishers) {
    const lake = openLakeForReading(dataDir);
    const { sums } = stateOf(lake, 0);
    lake.close();
    const [, ...row] = there.find(([of]) => of === name) ?? [];
    if (JSON.stringify(row) !== JSON.stringify(sums)) unequal += 1;
  }
  const lost = await lostAcks(proof, publishers);
  const killed = publishers.reduce((sum, one) => sum + one.kills, 0);
  const races = publishers
    .flatMap(({ acks }) => acks)
    .reduce((sum, { lostRaces }) => sum + lostRaces, 0);
  const sorted = tookMs.toSorted((a, b) => a - b);
  const median = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  proof.tell(
    `races: ${lakes} lakes, ${done()} commits acknowledged (${killed} kills, ${races} lost races retried) in ${seconds.toFixed(0)} s; ${tookMs.length} concurrent reads (median ${median} ms), ${torn.length} torn; ${lost} commits lost; ${unequal} lakes unlike SQLite`,
  );
  if (torn.length + lost + unequal > 0) proof.fail(`races: ${torn.slice(0, 5).join('; ')}`);
  if (tookMs.length < reads)
    proof.tell(`races: only ${tookMs.length} of ${reads} reads fitted beside the commits`);
};
