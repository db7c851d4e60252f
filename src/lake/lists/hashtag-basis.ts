import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { BasisPacker, listBasisAt, type PackedBasis, readListBasis } from './list-basis.ts';
import { TAG_COLUMNS, TagCounts } from './tag-counts.ts';
import { movedBetween, taggedInWindows, type Windows } from './tagged-in-window.ts';
import { type Span, snapshotsWithin, videosSeen } from './window-snapshots.ts';

// // Counts of hashtags in a window and the one before, read ahead as in `video-basis.ts`: a video
// with a snapshot that left either window is subtracted as it was counted, and counted again.

const nameOf = (windowMs: number): string => `hashtags ${windowMs}`;

const windowsAt = (platform: Platform | '', windowMs: number, to: number): Windows => ({
  platform,
  before: to - 2 * windowMs,
  from: to - windowMs,
  to,
});

/**
 * The counts of the windows before `asOf`; nothing where a sum of views is not exact, so that nothing
 * can be taken away from it.
 */
export const hashtagBasis = (
  lake: Lake,
  windowMs: number,
  asOf: number,
): readonly PackedBasis[] => {
  const counts = new TagCounts(lake);
  for (const video of taggedInWindows(lake, windowsAt('', windowMs, asOf))) counts.count(video);
  if (!counts.isExact) return [];
  const packer = new BasisPacker(nameOf(windowMs), asOf, TAG_COLUMNS);
  for (const row of counts.rows()) packer.add(row);
  return packer.pieces();
};

/**
 * The counts of two windows that end at `asOf`, from what is kept of them. Undefined where nothing true
 * is kept, it is of a later instant, or more than `most` snapshots left the windows since.
 */
export const knownTagCounts = (
  lake: Lake,
  { platform, windowMs }: { platform: Platform | ''; windowMs: number },
  asOf: number,
  most: number,
): TagCounts | undefined => {
  const keptAt = listBasisAt(lake, nameOf(windowMs), asOf);
  if (keptAt === undefined) return undefined;
  const [was, is] = [keptAt, asOf].map((to) => windowsAt(platform, windowMs, to)) as [
    Windows,
    Windows,
  ];
  const left: readonly Span[] = [
    { from: was.from, to: is.from },
    { from: was.before, to: is.before },
  ];
  if (left.some((span) => snapshotsWithin(lake, span, most + 1) > most)) return undefined;
  const basis = readListBasis(lake, nameOf(windowMs), TAG_COLUMNS);
  if (basis === undefined) return undefined;
  const counts = new TagCounts(lake);
  for (const columns of basis.pieces()) counts.restore(columns, platform);
  const changed = [...new Set(left.flatMap((span) => videosSeen(lake, span)))];
  for (const moved of movedBetween(lake, { was, is }, changed)) {
    counts.count(moved.was, -1);
    counts.count(moved.is);
  }
  return counts;
};
