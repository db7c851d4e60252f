import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { LakeBuilder } from '../../fixtures/lake-builder.ts';
import type { Platform } from '../../schema/vocabulary.ts';
import type { Lake } from '../../src/lake/open.ts';
import { openTestLake } from '../support/test-lake.ts';

/** A video for a test lake; what is left out is null or a plain default. Instants in Unix ms. */
export interface TestVideo {
  readonly id: string;
  readonly platform?: Platform;
  readonly title?: string | null;
  readonly user?: string | null;
  readonly views?: number | null;
  readonly likes?: number | null;
  readonly createdAt?: number | null;
  readonly firstSeenAt?: number;
  readonly tags?: readonly string[];
  /** [observedAt, views] */
  readonly snapshots?: readonly (readonly [number, number | null])[];
}

/** An empty lake in a fresh folder, gone when the test is. */
export const emptyLake = (): Lake => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-test-'));
  const lake = openTestLake(dataDir);
  onTestFinished(() => {
    lake.close();
    rmSync(dataDir, { recursive: true });
  });
  return lake;
};

/** Loads videos into a lake; one is known since it was first seen, with its views and likes. */
export const insertVideos = (lake: Lake, videos: readonly TestVideo[]): void => {
  const builder = new LakeBuilder(lake);
  builder.transaction(() => {
    for (const { firstSeenAt, views = null, likes = null, ...video } of videos) {
      const known = { at: firstSeenAt ?? video.createdAt ?? 0, views, likes };
      builder.video({ platform: 'tiktok', ...video, known });
    }
  });
};
