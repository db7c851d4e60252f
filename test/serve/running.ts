import { afterAll } from 'vitest';
import { systemClock, type VirtualClock, virtualClock } from '../../src/base/clock.ts';
import { createKey, type KeyWish } from '../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';
import { startService } from '../../src/serve/service.ts';
import type { RunningService, ServiceOptions } from '../../src/serve/service-options.ts';
import { type Filler, fillLake, freshFolder, NOW } from './filled-lake.ts';

export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

type Item = Readonly<Record<string, unknown>>;

/** A JSON response, read by field in tests; lists are there where the response has them. */
export type Body = Item & { readonly items: readonly Item[]; readonly videos: readonly Item[] };

export interface Running {
  readonly service: RunningService;
  readonly dataDir: string;
  readonly clock: VirtualClock;
  readonly key: string;
  /** GET with the key unless `init` says otherwise. */
  get(path: string, init?: RequestInit): Promise<Got>;
  newKey(wish?: Partial<KeyWish>): string;
}

const ROOMY = {
  useCase: 'test',
  tier: 'enterprise',
  ratePerMinute: 100_000,
  callsPerMonth: 1e9,
} as const;

const started: (() => Promise<void>)[] = [];
// here, as one that is called while a test or a hook runs is not heard
afterAll(async () => {
  for (const stop of started.splice(0)) await stop();
});

/** A service over a lake filled by `fill`, with a roomy key; stopped after the file's tests. */
export const runService = async (
  fill: (into: Filler) => void,
  options: Partial<ServiceOptions> = {},
): Promise<Running> => {
  const { dataDir, remove } = freshFolder();
  fillLake(dataDir, fill);
  const clock = virtualClock(NOW);
  const newKey = (wish: Partial<KeyWish> = {}): string => {
    const db = openServiceDb(dataDir);
    const { key } = createKey(db, { ...ROOMY, ...wish }, NOW);
    db.close();
    return key;
  };
  const key = newKey();
  const service = await startService({ dataDir, clock, machine: systemClock, ...options });
  started.push(async () => {
    await service.close();
    remove();
  });
  const get = async (path: string, init: RequestInit = {}): Promise<Got> => {
    const answer = await fetch(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${key}` },
      ...init,
    });
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as Body,
    };
  };
  return { service, dataDir, clock, key, get, newKey };
};
