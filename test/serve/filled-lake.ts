import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BuiltCreator,
  type BuiltEvent,
  type BuiltList,
  type BuiltSnapshot,
  type BuiltVideo,
  type BuiltVolume,
  LakeBuilder,
} from '../../fixtures/lake-builder.ts';
import { HOUR_MS } from '../../src/base/durations.ts';
import type { SnapshotSource } from '../../src/ingest/writers/merge-video.ts';
import type { Lake } from '../../src/lake/open.ts';
import { openTestLake } from '../support/test-lake.ts';

/** The instant the test lakes are asked at: 2026-03-10T12:00:00Z. */
export const NOW = Date.UTC(2026, 2, 10, 12);
export const hoursAgo = (hours: number): number => NOW - hours * HOUR_MS;

/** A fresh folder, removed by the returned function. */
export const freshFolder = (): { dataDir: string; remove: () => void } => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-serve-'));
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
};

interface VideoFill extends Omit<BuiltVideo, 'known' | 'snapshots' | 'source'> {
  readonly snapshots: readonly BuiltSnapshot[];
}

interface PulledFill extends Omit<BuiltList, 'ranks'> {
  readonly ranks?: readonly {
    readonly rank: number;
    readonly id: string;
    readonly score?: number | null;
    readonly velocity?: number | null;
  }[];
}

interface CreatorFill extends Omit<BuiltCreator, 'snapshots'> {
  readonly snapshots: BuiltCreator['snapshots'];
}

/** The builder of test lakes, in the words of these tests. */
export const filler = (lake: Lake) => {
  const builder = new LakeBuilder(lake);
  const keyOf = (id: string): number => builder.keyOf(id);
  return {
    keyOf,
    video: ({ snapshots, ...fill }: VideoFill): number => {
      const named = { title: `title of ${fill.id}`, user: 'somebody', createdAt: hoursAgo(1000) };
      const known = snapshots.length === 0 ? { at: NOW } : undefined;
      return builder.video({ ...named, ...fill, known, snapshots: snapshots });
    },
    snapshot: (key: number, seen: BuiltSnapshot, source: SnapshotSource = 'import'): void =>
      builder.snapshot(key, seen, source),
    pulled: ({ ranks = [], ...list }: PulledFill): void =>
      builder.list({
        ...list,
        ranks: ranks.map(({ id, ...at }) => ({ ...at, videoKey: keyOf(id) })),
      }),
    hashtag: (row: BuiltVolume): void => builder.hashtag(row),
    creator: ({ snapshots, ...row }: CreatorFill): void =>
      builder.creator({ ...row, snapshots: snapshots }),
    event: (row: BuiltEvent): void => builder.event(row),
    transaction: (write: () => void): void => builder.transaction(write),
  };
};

export type Filler = ReturnType<typeof filler>;

/** Opens the lake of a folder, fills it and closes it again. */
export const fillLake = (dataDir: string, fill: (into: Filler) => void): void => {
  const lake = openTestLake(dataDir);
  try {
    const into = filler(lake);
    into.transaction(() => fill(into));
  } finally {
    lake.close();
  }
};
