import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Tier } from '../base/config/tiers.ts';
import { DAY_MS } from '../base/durations.ts';
import { StoppedError, UsageError } from '../base/errors.ts';
import { Opened } from '../base/opened.ts';
import type { ImportProgress } from '../ingest/imports/import-file.ts';
import { importPaths } from '../ingest/imports/import-path.ts';
import { createKey } from '../lake/keys/keys.ts';
import { openServiceDb } from '../lake/keys/service-db.ts';
import { type Lake, openLake } from '../lake/open.ts';
import { prepare, required } from '../lake/prepare.ts';
import { startService } from '../serve/service.ts';
import { serviceAt, startDialectServer } from './dialect-server.ts';
import { combinedDialect } from './dialects.ts';
import { SandboxClock, type SandboxTime } from './sandbox-clock.ts';
import { PAST_DAYS, WorldFeed } from './world/feed.ts';
import { World } from './world/world.ts';

/** A key that a sandbox is to open to. */
export interface SandboxKeyWish {
  readonly name: string;
  /** Default enterprise, with limits that no run reaches. */
  readonly tier?: Tier | undefined;
  readonly ratePerMinute?: number | undefined;
  readonly callsPerMonth?: number | undefined;
}

/** A key of a sandbox, and its limits. */
export interface SandboxKey {
  readonly name: string;
  readonly key: string;
  readonly ratePerMinute: number;
  readonly callsPerMonth: number;
}

/** Content, time and keys of a sandbox; tier and limits are those of its key. */
export interface SandboxOptions extends Omit<SandboxKeyWish, 'name'> {
  /** The limits of its key are counted in this clock's time; without `at` it shows this time too. */
  readonly clock: Clock;
  /** A folder or file of NDJSON observations to show instead of the made-up world; an absolute path. */
  readonly from?: string | undefined;
  /** Unix ms at which its clock stands still, or starts where `speed` is given. */
  readonly at?: number | undefined;
  /** Speed as a multiple of `clock`. */
  readonly speed?: number | undefined;
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Seed of the made-up world; default 1. */
  readonly seed?: number | undefined;
  /** Creators of each platform of it, as a `World` takes them. */
  readonly creators?: number | undefined;
  /** False: the made-up world is not searched, so its words need no index. */
  readonly isSearched?: boolean;
  /** Further keys, each with separate limits. */
  readonly keys?: readonly SandboxKeyWish[] | undefined;
  /** Names of `DIALECTS` to speak, combined. Default: our own interface. */
  readonly dialects?: readonly string[] | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Receives a line for each thing that failed unexpectedly. */
  readonly report?: (sentence: string) => void;
}

/** A sandbox that is listening. `url` ends in `/v1`; `key` opens it. */
export interface Sandbox extends Omit<SandboxKey, 'name'> {
  readonly url: string;
  readonly dashboard: string;
  /** The other keys that were asked for, in that order. */
  readonly keys: readonly SandboxKey[];
  readonly clock: SandboxTime;
  /** Folder of the lake it serves; reading it is harmless. */
  readonly dataDir: string;
  /** Stops listening and removes its lake. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Default limits of a sandbox's key: no client waits. */
const SANDBOX_LIMITS = { ratePerMinute: 6000, callsPerMonth: 10_000_000 };

const newKey = (dataDir: string, key: SandboxKeyWish, clock: Clock): SandboxKey => {
  const { name, tier = 'enterprise', ratePerMinute, callsPerMonth } = key;
  const wish = {
    useCase: name,
    tier,
    ...(tier === 'enterprise' ? SANDBOX_LIMITS : {}),
    ...(ratePerMinute === undefined ? {} : { ratePerMinute }),
    ...(callsPerMonth === undefined ? {} : { callsPerMonth }),
  };
  const service = openServiceDb(dataDir);
  try {
    const { key: made, record } = createKey(service, wish, clock.now());
    const limits = { ratePerMinute: record.ratePerMinute, callsPerMonth: record.callsPerMonth };
    return { name, key: made, ...limits };
  } finally {
    service.close();
  }
};

const DAYS_A_TURN = 8; // a day at a time makes the world a third slower

const NEWEST = `select max(at) from (
  select max(observed_at) as at from video_snapshot union all
  select max(observed_at) from hashtag_snapshot union all
  select max(observed_at) from creator_snapshot)`;

/** Loads an import; an import without `at` or `speed` stands still at its newest observation. */
const importedClock = async (lake: Lake, from: string, options: SandboxOptions) => {
  const { clock, at, speed, signal, onProgress } = options;
  await importPaths(lake, [from], lake.dataDir, { clock, signal, onProgress });
  const newestAt = required(prepare(lake.sqlite, NEWEST, 'number?').get());
  if (newestAt === null)
    throw new UsageError(`${from} holds no observations with a time, so there is nothing to show.`);
  return new SandboxClock(clock, { at: at ?? newestAt, speed });
};

/** Fills the lake and says what time it is there; asking brings the lake up to that time. */
const prepared = async (lake: Lake, options: SandboxOptions): Promise<SandboxTime> => {
  lake.sqlite.pragma('synchronous = OFF'); // nobody needs this lake after a power cut
  if (options.from !== undefined) return importedClock(lake, options.from, options);
  const time = new SandboxClock(options.clock, options);
  lake.sqlite.pragma('foreign_keys = OFF'); // what a world says of itself holds together
  const world = new World({ seed: options.seed ?? 1, creators: options.creators });
  const words = options.isSearched === false ? 'later' : 'now';
  const feed = new WorldFeed(lake, world, time.now(), words);
  const now = () => {
    const at = time.now();
    feed.advanceTo(at);
    return at;
  };
  const startAt = time.now();
  for (let days = PAST_DAYS; days >= 0; days -= DAYS_A_TURN) {
    feed.advanceTo(startAt - days * DAY_MS);
    await setImmediate(); // signals arrive between turns
    options.signal?.throwIfAborted();
  }
  return { now, advanceTo: (at) => time.advanceTo(at) };
};

/**
 * Starts the service over a made-up world, or over an import, in a temporary folder that goes with
 * it, also when starting fails. The made-up world goes on as the clock does: each request is
 * answered from all that was observed up to its instant.
 * @throws UsageError when the import or the port cannot be used
 */
export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-sandbox-'));
  const opened = new Opened();
  opened.add({ close: () => rmSync(dataDir, { recursive: true, force: true }) });
  try {
    const lake = opened.add(openLake(dataDir));
    const clock = await prepared(lake, options);
    const { tier, ratePerMinute, callsPerMonth } = options;
    const own = { name: 'sandbox', tier, ratePerMinute, callsPerMonth };
    const { name: _, ...key } = newKey(dataDir, own, options.clock);
    const keys = (options.keys ?? []).map((wish) => newKey(dataDir, wish, options.clock));
    const { dialects, port = 0 } = options;
    const service = opened.add(
      await startService({
        dataDir,
        clock: options.clock,
        machine: systemClock, // a served world has the machine's patience, whatever time it shows
        at: () => clock.now(),
        port: dialects === undefined ? port : 0,
        isSearched: options.isSearched ?? true,
        ...(options.report === undefined ? {} : { report: options.report }),
      }),
    );
    const { dashboard } = service;
    let { url } = service;
    if (dialects !== undefined) {
      const speaking = startDialectServer(combinedDialect(dialects), serviceAt(url), { port });
      url = opened.add(await speaking).url;
    }
    const close = () => opened.close();
    const made = { url, dashboard, ...key, keys, clock, dataDir };
    return { ...made, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await opened.close();
    if (options.signal?.aborted === true)
      throw new StoppedError(
        'The sandbox was stopped before it was ready. Nothing is left behind.',
        { cause: error },
      );
    throw error;
  }
};
