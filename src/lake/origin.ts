import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_FOLDER } from '../base/data-dir/own-files.ts';
import { UsageError } from '../base/errors.ts';
import { isoOf } from '../base/iso.ts';
import { readMeta, writeMeta } from './meta.ts';
import { LAKE_FILE, type Lake, openLake } from './open.ts';
import { prepare } from './prepare.ts';

/**
 * Owner of a lake's data: the service, the made-up world, or an import that a demo replayed. They
 * never mix. A lake that was made for trying out is set aside when other data comes; one with real
 * data is left alone.
 */
export type Origin = 'upstream' | 'sandbox' | 'replayed import';

/** Owner of the lake's data; undefined if nothing was pulled into it. */
export const originOf = (lake: Lake): Origin | undefined =>
  readMeta(lake.sqlite, 'origin') as Origin | undefined;

/** True when anything was loaded: a run that loaded nothing leaves a lake without an owner. */
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
  const last = prepare(sqlite, 'select max(id) from calls', 'number?').get() ?? null;
  if (last !== null) writeMeta(sqlite, SERVICE_CALLS, String(last));
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

/** Moves a lake and its exports into a folder beside them; gives the folder. */
const setAside = (dataDir: string, stamp: string): string => {
  const folder = join(dataDir, `sandbox-${stamp}`);
  mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
  // the file last of its three: a new lake beside an old one's journal would be damaged by it
  for (const name of [`${LAKE_FILE}-wal`, `${LAKE_FILE}-shm`, LAKE_FILE, 'parquet', 'backups'])
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(folder, name));
  return folder;
};

/**
 * Opens the lake for data of one owner. A sandbox lake in the place of real data (or of the empty
 * lake that `fresh` asks for) is set aside.
 * @param report receives a sentence if something was set aside
 * @throws UsageError if made-up data would mix with real data
 */
export const openLakeFor = (
  dataDir: string,
  origin: Origin,
  options: { fresh?: boolean; now: number; report: (sentence: string) => void },
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
    writeMeta(lake.sqlite, 'origin', origin);
    return lake;
  }
  lake.close();
  const stamp = isoOf(options.now).replace(/[:.]/g, '-');
  const folder = setAside(dataDir, stamp);
  options.report(`The sandbox's lake in ${dataDir} was moved to ${folder}.`);
  const empty = openLake(dataDir, { newLake: true }); // keys of the service stay
  carryServiceCalls(empty, join(folder, LAKE_FILE));
  if (origin !== 'upstream') noteServiceCalls(empty);
  writeMeta(empty.sqlite, 'origin', origin);
  return empty;
};
