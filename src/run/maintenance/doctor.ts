import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { backupsIn } from '../../base/data-dir/backups.ts';
import { restoredName } from '../../base/data-dir/leftovers.ts';
import { ownEntries } from '../../base/data-dir/own-files.ts';
import { DAY_MS } from '../../base/durations.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
import { isReplayDue } from '../../ingest/responses/adopt-words.ts';
import { clockProblems } from '../../lake/clock-skew.ts';
import { refuseFormerLake } from '../../lake/former-lake.ts';
import { findLakeId, restoreMarkOf } from '../../lake/meta.ts';
import {
  LAKE_FILE,
  type Lake,
  OtherSchemaError,
  openLake,
  openLakeForReading,
} from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { checkSearch, isOfSearch } from '../../lake/search/search-integrity.ts';
import { unfinishedBackups } from './backup.ts';
import { sha256Of } from './packed-backup.ts';

/** Result of one check. `advice`: the next step if `ok` is false. */
export interface CheckResult {
  check: string;
  ok: boolean;
  detail: string;
  advice: string | null;
}

/** Detail of a check that passed, or what failed. */
type Outcome = string | Pick<CheckResult, 'detail' | 'advice'>;

const resultOf = (check: string, outcome: Outcome): CheckResult =>
  typeof outcome === 'string'
    ? { check, ok: true, detail: outcome, advice: null }
    : { check, ok: false, detail: outcome.detail, advice: outcome.advice };

const RESTORE = `Stop all processes that write to the lake, then run \`${commandText('doctor --restore')}\` to restore the newest backup.`;

const integrity = ({ sqlite }: Lake): Outcome => {
  const stated = sqlite.pragma('integrity_check(5)') as { integrity_check: string }[];
  const problems = stated
    .map((row) => row.integrity_check)
    .filter((text) => text !== 'ok' && !isOfSearch(text)); // checked and rebuilt separately
  return problems.length === 0 ? 'whole' : { detail: problems.join('; '), advice: RESTORE };
};

const BROKEN = 'select "table", count(*) from pragma_foreign_key_check group by 1';

const foreignKeys = ({ sqlite }: Lake): Outcome => {
  const tables = prepare(sqlite, BROKEN, ['text', 'number']).all();
  if (tables.length === 0) return 'every reference is valid';
  const rows = tables.reduce((sum, [, broken]) => sum + broken, 0);
  const names = tables.map(([table]) => table).join(', ');
  return { detail: `${rows} rows of ${names} refer to rows that are missing`, advice: RESTORE };
};

const search = (lake: Lake): Outcome => {
  const { ok, detail } = checkSearch(lake);
  return ok
    ? detail
    : { detail, advice: `\`${commandText('doctor --rebuild-search')}\` rebuilds it.` };
};

/** Checks that signing secrets are outside the lake, so that backups and exports do not contain them. */
const secrets = ({ sqlite }: Lake): Outcome => {
  const inLake = required(
    prepare(sqlite, "select count(*) from subscriptions where secret <> ''", 'number').get(),
  );
  if (inLake === 0) return 'none in the lake';
  return {
    detail: `the lake holds the secrets of ${inLake} webhook subscriptions`,
    advice: `\`${commandText('sync')}\` or \`serve\` moves them to service.db.`,
  };
};

const clockOutcome = (lake: Lake, clock: Clock): Outcome => {
  const problems = clockProblems(lake, clock.now());
  if (problems.length === 0) return 'agrees with the lake';
  return {
    detail: problems.join(' '),
    advice: `\`${commandText('doctor --remove-future')}\` removes rows of the future once the clock is right.`,
  };
};

/** Checks that all stored responses were loaded with the words and units of the setting `upstream`. */
const units = (lake: Lake, upstream: UpstreamSettings): Outcome =>
  isReplayDue(lake, upstream)
    ? {
        detail: 'the setting upstream changed, and responses were loaded with the one before',
        advice: `Words and units are mixed. \`${commandText('replay')}\` loads the stored responses again, without calls.`,
      }
    : 'all responses were loaded with the same setting upstream';

/** Reason why a readable lake cannot be written; undefined if it can. Opening it removes leftovers. */
const unwritable = (dataDir: string): string | undefined => {
  try {
    openLake(dataDir).close();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

const missingDatabase = (dataDir: string, path: string): Outcome => {
  try {
    if (!existsSync(restoredName(path))) refuseFormerLake(dataDir, path); // else see leftovers
    return `none yet at ${path}`;
  } catch (error) {
    return { detail: messageOf(error), advice: null };
  }
};

/** Receives the name of the next check, which may take minutes in a large lake. */
export type OnCheck = (check: string) => void;

/** Settings that are examined with the data directory. */
interface Examined {
  readonly dataDir: string;
  readonly upstream?: UpstreamSettings;
}

function* databaseFindings(
  { dataDir, upstream = {} }: Examined,
  clock: Clock,
  onCheck: OnCheck,
): Generator<CheckResult> {
  const path = join(dataDir, LAKE_FILE);
  if (!existsSync(path)) return yield resultOf('database', missingDatabase(dataDir, path));
  let opened: Lake;
  try {
    opened = openLakeForReading(dataDir); // does not migrate an older schema
  } catch (error) {
    // refused access to the file or its journals is not damage
    const isRefused = error instanceof UsageError && error.cause !== undefined;
    const isWhole = error instanceof OtherSchemaError || isRefused;
    const advice = isWhole ? null : RESTORE;
    return yield resultOf('database', { detail: messageOf(error), advice });
  }
  using lake = opened;
  const refused = unwritable(dataDir);
  if (refused !== undefined) yield resultOf('data directory', { detail: refused, advice: null });
  const checks: Record<string, (lake: Lake) => Outcome> = {
    database: integrity,
    references: foreignKeys,
    'search index': search,
    secrets,
    clock: () => clockOutcome(lake, clock),
    units: () => units(lake, upstream),
  };
  for (const [check, examineLake] of Object.entries(checks)) {
    onCheck(check);
    try {
      yield resultOf(check, examineLake(lake));
    } catch (error) {
      yield resultOf(check, { detail: messageOf(error), advice: RESTORE });
    }
  }
}

const leftovers = (dataDir: string): Outcome => {
  const restored = restoredName(join(dataDir, LAKE_FILE));
  const [unfinished] = unfinishedBackups(dataDir);
  if (unfinished !== undefined)
    return {
      detail: `${unfinished} is left over from an interrupted backup`,
      advice: `Run \`${commandText('backup')}\` to remove it and make a new backup.`,
    };
  if (!existsSync(restored)) return 'none';
  return {
    detail: `${restored} is left over from an interrupted restore`,
    advice: `A restore was interrupted. Run \`${commandText('doctor --restore')}\` again.`,
  };
};

const backup = (dataDir: string, clock: Clock): Outcome => {
  const newest = backupsIn(dataDir).at(-1)?.path;
  const hasLake = existsSync(join(dataDir, LAKE_FILE));
  const advice = `\`${commandText('backup')}\` makes one; \`${commandText('schedule')}\` does every night.`;
  if (newest === undefined) return hasLake ? `none yet; ${advice}` : 'none yet';
  const madeAt = Date.parse(/(\d{4}-\d\d-\d\d)\.db$/.exec(newest)?.[1] ?? '');
  const ageDays = Math.floor((clock.now() - madeAt) / DAY_MS);
  if (ageDays < 0)
    return {
      detail: `the newest, ${newest}, has a date in the future`,
      advice: `The clock is wrong now, or was then. Set the clock or rename the file, because \`${commandText('doctor --restore')}\` restores the file with the latest date.`,
    };
  return ageDays <= 7
    ? newest
    : { detail: `the newest, ${newest}, is ${ageDays} days old`, advice };
};

const octal = (mode: number): string => mode.toString(8);

/** Checks that no other user can read or change the data directory. */
const modes = (dataDir: string): Outcome => {
  const user = process.getuid?.();
  const entries = ownEntries(dataDir);
  const [folder] = entries;
  if (user === undefined || folder === undefined) return 'nothing to check';
  const foreign = entries.find(({ uid }) => uid !== user);
  if (foreign !== undefined)
    return {
      detail: `${foreign.path} belongs to user ${foreign.uid}, and trendlake runs as user ${user}`,
      advice: `Run trendlake as that user, or \`chown -R ${user} ${dataDir}\`.`,
    };
  // files in a folder that others cannot enter are closed to them too
  const open = entries.find(
    ({ mode }) => (mode & folder.mode & 0o007) !== 0 || (mode & 0o022) !== 0,
  );
  if (open !== undefined)
    return {
      detail: `${open.path} can be ${(open.mode & 0o022) === 0 ? 'read' : 'changed'} by other users of this machine (mode ${octal(open.mode)})`,
      advice: `\`chmod ${open.isFolder ? '700' : '600'} ${open.path}\`: it holds secrets, key hashes and the data.`,
    };
  const isGroups = (folder.mode & 0o070) !== 0;
  return isGroups ? `a group may read (${octal(folder.mode)})` : 'only you can read it';
};

const manifest = z.object({
  lakeId: z.string().optional(),
  restoreMark: z.string().optional(),
  files: z.array(z.object({ path: z.string(), sha256: z.string() })),
});

/** Problem of a manifest that belongs to another lake or to this one before a restore. */
const foreignExport = (
  dataDir: string,
  { lakeId, restoreMark = '' }: z.infer<typeof manifest>,
): Outcome | undefined => {
  try {
    using lake = openLakeForReading(dataDir);
    if (lakeId !== undefined && lakeId !== findLakeId(lake.sqlite))
      return {
        detail: 'the files were exported from another lake',
        advice: 'Move the folder `parquet` away, then export again.',
      };
    if (restoreMark !== restoreMarkOf(lake.sqlite))
      return {
        detail: 'the files were exported before the lake was restored',
        advice: `\`${commandText('export')}\` writes them again.`,
      };
  } catch {
    // reported by the database check
  }
  return undefined;
};

const parquet = async (dataDir: string): Promise<Outcome> => {
  const folder = join(dataDir, 'parquet');
  const path = join(folder, 'manifest.json');
  const advice = `\`${commandText('export --full')}\` rewrites every file.`;
  if (!existsSync(path)) return 'nothing exported yet';
  try {
    const exported = manifest.parse(JSON.parse(readFileSync(path, 'utf8')));
    const foreign = foreignExport(dataDir, exported);
    if (foreign !== undefined) return foreign;
    for (const { path: name, sha256 } of exported.files) {
      const file = join(folder, name);
      if (!existsSync(file)) return { detail: `${file} is missing`, advice };
      if ((await sha256Of(file)) !== sha256)
        return { detail: `${file} changed after it was exported`, advice };
    }
    return `${exported.files.length} files agree with the manifest`;
  } catch (error) {
    return { detail: `${path} cannot be read: ${messageOf(error)}`, advice };
  }
};

/** Checks a data directory and yields each result when it is known. Repairs nothing, blocks no writer. */
export async function* examine(
  examined: Examined,
  clock: Clock,
  onCheck: OnCheck = () => {},
): AsyncGenerator<CheckResult> {
  const { dataDir } = examined;
  yield resultOf('data directory', `${dataDir}, checked ${isoOf(clock.now())}`);
  yield resultOf('modes', modes(dataDir));
  yield* databaseFindings(examined, clock, onCheck);
  onCheck('Parquet');
  yield resultOf('Parquet', await parquet(dataDir));
  yield resultOf('backup', backup(dataDir, clock));
  yield resultOf('leftovers', leftovers(dataDir));
}
