import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import type { Platform } from '../../../schema/vocabulary.ts';
import type { ListName } from '../../../src/ingest/writers/rankings.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { openTestLake } from '../../support/test-lake.ts';

/** A fresh lake in its own folder, both removed when the test ends. */
export const freshLake = (): Lake => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-events-'));
  const lake = openTestLake(folder);
  onTestFinished(() => {
    lake.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return lake;
};

export interface MadeVideo {
  readonly id: string;
  readonly user?: string;
  readonly createdAt?: number;
  readonly snapshots: readonly (readonly [at: number, views: number | null])[];
  readonly tags?: readonly string[];
}

/** Loads a video and its snapshots. */
export const putVideo = (lake: Lake, { snapshots, ...video }: MadeVideo): number =>
  new LakeBuilder(lake).video({ ...video, snapshots: snapshots, source: 'feed' });

/** One look at a tag's volume. */
export const putTagSnapshot = (
  lake: Lake,
  tag: string,
  platform: Platform | '',
  at: number,
  volume: number,
): void => new LakeBuilder(lake).hashtag({ tag, platform, at, volume });

/** One pulled list, best first. */
export const putList = (
  lake: Lake,
  {
    list = 'feed',
    platform,
    at,
    keys,
  }: { list?: ListName['list']; platform: Platform; at: number; keys: readonly number[] },
): void =>
  new LakeBuilder(lake).list({
    list,
    platform,
    period: list === 'feed' ? '24h' : 'day',
    at,
    total: keys.length,
    ranks: keys.map((videoKey, index) => ({ rank: index + 1, videoKey })),
  });
