import type { Clock } from '../../base/clock.ts';
import { LakeError } from '../../base/errors.ts';
import {
  erasedOf,
  type PersonalSubject,
  subjectSet,
  UNFINISHED_ERASURE,
} from '../../lake/erased.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import { rewriteLake } from '../../lake/give-back.ts';
import { readMeta, removeMeta, writeMeta } from '../../lake/meta.ts';
import type { Lake } from '../../lake/open.ts';
import { compactSearch, refreshSearch } from '../../lake/search/search-index.ts';
import { countMarkedRows, markedPartitions, removeMarkedRows } from './erase-rows.ts';
import {
  erasedInLake,
  markedTitles,
  markedVideos,
  markLines,
  markTargets,
} from './erase-targets.ts';
import {
  blankDrift,
  countMentions,
  type EraseOptions,
  eraseJsonColumns,
  eraseResponses,
} from './erase-texts.ts';

/** Rows that are erased by table, and Parquet files to write again. */
export interface Erasure {
  readonly rows: Record<string, number>;
  readonly files: number;
}

const sumOf = (...counts: readonly Readonly<Record<string, number>>[]): Record<string, number> => {
  const sum: Record<string, number> = {};
  for (const count of counts)
    for (const [table, n] of Object.entries(count)) if (n > 0) sum[table] = (sum[table] ?? 0) + n;
  return sum;
};

/** A subject with the videos that go with it. Changes nothing. */
export const withVideos = (lake: Lake, subject: PersonalSubject): PersonalSubject[] => {
  markTargets(lake, [subject]);
  return [subject, ...markedVideos(lake)];
};

/** Counts what `forget` would erase. Changes nothing. */
export const planErasure = (
  lake: Lake,
  subject: PersonalSubject,
  { upstream = {} }: Pick<EraseOptions, 'upstream'> = {},
): Erasure => {
  const subjects = subjectSet([...withVideos(lake, subject), ...markedTitles(lake)]);
  markLines(lake, subjects);
  return {
    rows: sumOf(countMarkedRows(lake), ...countMentions(lake, { subjects, upstream })),
    files: markedPartitions(lake).length,
  };
};

const CHECKPOINTS_TRIED = 50;
const CHECKPOINT_WAIT_MS = 100;

/** Empties the journal, which holds former pages until no reader needs them. */
const emptyJournal = async ({ sqlite, path }: Lake, clock: Clock): Promise<void> => {
  for (let tried = 1; ; tried += 1) {
    const [result] = sqlite.pragma('wal_checkpoint(truncate)') as { busy: number }[];
    if (result?.busy === 0) return;
    if (tried === CHECKPOINTS_TRIED)
      throw new LakeError(
        `The rows are erased, but ${path}-wal still holds former pages: another process has read for ${(CHECKPOINTS_TRIED * CHECKPOINT_WAIT_MS) / 1000} s. Run the same command again when it is done.`,
        { transient: true },
      );
    await clock.sleep(CHECKPOINT_WAIT_MS);
  }
};

/** Rewrites what mentions erased subjects, and the file itself. Safe to repeat. @returns rows by table */
const finishErasure = async (
  lake: Lake,
  options: EraseOptions,
): Promise<Record<string, number>> => {
  const { clock, signal } = options;
  const rows = eraseJsonColumns(lake, options);
  const responses = await eraseResponses(lake, options);
  refreshSearch(lake);
  await compactSearch(lake, signal);
  await emptyJournal(lake, clock);
  rewriteLake(lake.path); // free space inside pages may hold former rows
  removeMeta(lake.sqlite, UNFINISHED_ERASURE);
  await emptyJournal(lake, clock);
  return sumOf(...rows, { responses });
};

/** Removes the rows of subjects and notes them as erased, in one transaction. */
const eraseRows = (lake: Lake, subjects: readonly PersonalSubject[], now: number): Erasure => {
  lake.sqlite.pragma('secure_delete = ON');
  return lake.sqlite
    .transaction(() => {
      markTargets(lake, subjects);
      const erased = erasedOf(lake);
      erased.add([...subjects, ...markedVideos(lake), ...markedTitles(lake)], now);
      const drift = blankDrift(lake, markLines(lake, erased));
      const files = markedPartitions(lake).length;
      const rows = sumOf(removeMarkedRows(lake), { drift });
      refreshSearch(lake);
      writeMeta(lake.sqlite, UNFINISHED_ERASURE, String(now));
      return { rows, files };
    })
    .immediate();
};

/**
 * Erases a video, or a creator with all videos, from the lake and keeps it out. Parquet files follow
 * with the next export. Killed at any moment, it is finished by `finishErasures` or by the same again.
 * @throws LakeError (transient) while a run is at work, or while a reader keeps former pages
 */
export const forgetSubject = (
  lake: Lake,
  subject: PersonalSubject,
  options: EraseOptions,
): Promise<Erasure> =>
  withExclusive(lake.dataDir, 'sync', options.clock, async () => {
    const { rows, files } = eraseRows(lake, [subject], options.clock.now());
    const mentions = await finishErasure(lake, options);
    return { rows: sumOf(rows, mentions), files };
  });

/**
 * Finishes an erasure that was killed, and erases again what a restore brought back. Does nothing
 * elsewhere.
 */
export const finishErasures = async (lake: Lake, options: EraseOptions): Promise<boolean> => {
  if (readMeta(lake.sqlite, UNFINISHED_ERASURE) === undefined) return false;
  const back = erasedInLake(lake);
  if (back.length > 0) eraseRows(lake, back, options.clock.now());
  await finishErasure(lake, options);
  return true;
};
