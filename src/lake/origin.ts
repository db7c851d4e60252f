import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { isoOf } from '../iso.ts';
import { LAKE_FILE, type Lake, openLake } from './open.ts';

/**
 * Whose data a lake holds: the service's, the made-up world's, or an import's as a demo replayed
 * it. They never mix: a lake that trendlake made for trying out is set aside when other data comes,
 * one of real data is left alone.
 */
export type Origin = 'upstream' | 'sandbox' | 'replayed import';

/** Whose data the lake holds; undefined where nothing was pulled into it. */
export const originOf = (lake: Lake): Origin | undefined =>
  lake.sqlite.prepare("select value from meta where key = 'origin'").pluck().get() as
    | Origin
    | undefined;

const setOrigin = (lake: Lake, origin: Origin): void => {
  lake.sqlite
    .prepare("insert into meta (key, value) values ('origin', ?) on conflict (key) do nothing")
    .run(origin);
};

/** Moves a lake and its exports into a folder beside them; gives the folder. */
const setAside = (dataDir: string, stamp: string): string => {
  const folder = join(dataDir, `sandbox-${stamp}`);
  mkdirSync(folder, { recursive: true });
  // the file last of its three: a new lake beside an old one's journal would be damaged by it
  for (const name of [`${LAKE_FILE}-wal`, `${LAKE_FILE}-shm`, LAKE_FILE, 'parquet'])
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(folder, name));
  return folder;
};

/**
 * Opens the lake for data of one origin. A sandbox's lake that stands where real data shall go (or
 * where `fresh` asks for an empty one) is set aside, not lost.
 * @param tell receives a sentence when something was set aside
 * @throws UsageError when made-up data would be mixed into a lake of real data
 */
export const openLakeFor = (
  dataDir: string,
  origin: Origin,
  options: { fresh?: boolean; now: number; tell: (sentence: string) => void },
): Lake => {
  const lake = openLake(dataDir);
  const known = originOf(lake);
  const holdsData = lake.sqlite.prepare('select 1 from video limit 1').get() !== undefined;
  const realData = known === 'upstream' || (known === undefined && holdsData);
  if (origin !== 'upstream' && realData) {
    lake.close();
    throw new UsageError(
      `${lake.path} holds real data, and a sandbox would mix other data into it. Set TRENDLAKE_BASE_URL and TRENDLAKE_API_KEY to go on with the real service, or choose another folder with TRENDLAKE_DATA_DIR.`,
    );
  }
  const movesAside = known !== undefined && (origin !== known || options.fresh === true);
  if (!movesAside) {
    setOrigin(lake, origin);
    return lake;
  }
  lake.close();
  const stamp = isoOf(options.now).replace(/[:.]/g, '-');
  const folder = setAside(dataDir, stamp);
  options.tell(`The sandbox's lake that stood in ${dataDir} was moved to ${folder}.`);
  const empty = openLake(dataDir);
  setOrigin(empty, origin);
  return empty;
};
