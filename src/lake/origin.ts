import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_FOLDER } from '../data-dir/own-files.ts';
import { UsageError } from '../errors.ts';
import { isoOf } from '../iso.ts';
import { LAKE_FILE, type Lake, openLake } from './open.ts';
import { prepare, present } from './prepare.ts';

/**
 * Whose data a lake holds: the service's, the made-up world's, or an import's as a demo replayed
 * it. They never mix: a lake that trendlake made for trying out is set aside when other data comes,
 * one of real data is left alone.
 */
export type Origin = 'upstream' | 'sandbox' | 'replayed import';

/** Whose data the lake holds; undefined where nothing was pulled into it. */
export const originOf = (lake: Lake): Origin | undefined =>
  prepare<Origin>(lake.sqlite, "select value from meta where key = 'origin'", 'text').get();

const setOrigin = ({ sqlite }: Lake, origin: Origin): void => {
  sqlite
    .prepare(
      "insert into meta (key, value) values ('origin', ?) on conflict (key) do update set value = excluded.value",
    )
    .run(origin);
};

/** True when anything was loaded: a run that loaded nothing leaves a lake that is nobody's yet. */
const holdsData = ({ sqlite }: Lake): boolean =>
  prepare(
    sqlite,
    `select exists (select 1 from video) or exists (select 1 from hashtag)
         or exists (select 1 from creator) or exists (select 1 from capture)
         or exists (select 1 from analyses) or exists (select 1 from events)`,
    'number',
  ).get() === 1;

/** Under this name `meta` keeps the last call that a service was sent from a lake a sandbox took over. */
const SERVICE_CALLS = 'service_calls';

/** Notes that the calls so far were the service's, in a lake that other data now comes into. */
const noteServiceCalls = ({ sqlite }: Lake): void => {
  sqlite
    .prepare(
      `insert into meta (key, value) select '${SERVICE_CALLS}', max(id) from calls having max(id) is not null
       on conflict (key) do update set value = excluded.value`,
    )
    .run();
};

/**
 * Copies the service's calls out of a lake that was set aside, so that the month counts them on. Their
 * runs stay there: none that comes gets the number of one of them.
 */
const carryServiceCalls = ({ sqlite }: Lake, from: string): void => {
  sqlite.prepare('attach ? as aside').run(from);
  try {
    const { changes } = sqlite
      .prepare(
        `insert into main.calls select * from aside.calls where id <=
           (select cast(value as integer) from aside.meta where key = '${SERVICE_CALLS}')`,
      )
      .run();
    if (changes === 0) return;
    sqlite.exec(`
      insert into main.sqlite_sequence (name, seq) select 'runs', max(run_id) from main.calls
      where run_id is not null having max(run_id) is not null`);
  } finally {
    sqlite.exec('detach aside');
  }
};

/**
 * What tells this lake from every other one, wherever it is copied to: made at the first call, kept
 * in the lake and its backups.
 */
export const lakeIdOf = (lake: Lake): string => {
  lake.sqlite
    .prepare("insert into meta (key, value) values ('lake_id', ?) on conflict (key) do nothing")
    .run(randomUUID());
  return present(
    prepare(lake.sqlite, "select value from meta where key = 'lake_id'", 'text').get(),
  );
};

/** Moves a lake and its exports into a folder beside them; gives the folder. */
const setAside = (dataDir: string, stamp: string): string => {
  const folder = join(dataDir, `sandbox-${stamp}`);
  mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
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
  const lake = openLake(dataDir, options);
  const known = originOf(lake);
  const holds = holdsData(lake);
  const realData = holds && (known === 'upstream' || known === undefined);
  if (origin !== 'upstream' && realData) {
    lake.close();
    throw new UsageError(
      `${lake.path} holds real data, and a sandbox would mix other data into it. Set TRENDLAKE_BASE_URL and TRENDLAKE_API_KEY to go on with the real service, or choose another folder with TRENDLAKE_DATA_DIR.`,
    );
  }
  const madeUp = known !== undefined && known !== 'upstream';
  const movesAside = madeUp && (origin !== known || options.fresh === true);
  if (!movesAside) {
    if (known === 'upstream' && origin !== known) noteServiceCalls(lake);
    setOrigin(lake, origin);
    return lake;
  }
  lake.close();
  const stamp = isoOf(options.now).replace(/[:.]/g, '-');
  const folder = setAside(dataDir, stamp);
  options.tell(`The sandbox's lake that stood in ${dataDir} was moved to ${folder}.`);
  const empty = openLake(dataDir);
  carryServiceCalls(empty, join(folder, LAKE_FILE));
  if (origin !== 'upstream') noteServiceCalls(empty);
  setOrigin(empty, origin);
  return empty;
};
