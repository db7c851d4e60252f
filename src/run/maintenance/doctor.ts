import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { backupsIn } from '../../base/data-dir/backups.ts';
import { restoredName } from '../../base/data-dir/leftovers.ts';
import { ownEntries } from '../../base/data-dir/own-files.ts';
import { DAY_MS } from '../../base/durations.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
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

const passed = (check: string, detail: string): CheckResult => ({
  check,
  ok: true,
  detail,
  advice: null,
});
const failed = (check: string, detail: string, advice: string | null): CheckResult => ({
  check,
  ok: false,
  detail,
  advice,
});

const RESTORE = `Stop all processes that write to the lake, then run \`${commandText('doctor --restore')}\` to restore the newest backup.`;

/** Runs one check. An error is a failed check. */
const finding = (check: string, advice: string, examined: () => CheckResult): CheckResult => {
  try {
    return examined();
  } catch (error) {
    return failed(check, messageOf(error), advice);
  }
};

const integrity = ({ sqlite }: Lake): CheckResult => {
  const stated = sqlite.pragma('integrity_check(5)') as { integrity_check: string }[];
  const problems = stated
    .map((row) => row.integrity_check)
    .filter((text) => text !== 'ok' && !isOfSearch(text)); // checked and rebuilt separately
  return problems.length === 0
    ? passed('database', 'whole')
    : failed('database', problems.join('; '), RESTORE);
};

const foreignKeys = ({ sqlite }: Lake): CheckResult => {
  const tables = new Set<string>();
  let broken = 0; // counted row by row: every row of a lake may be broken
  const rows = prepare(sqlite, 'select "table" from pragma_foreign_key_check', 'text');
  for (const table of rows.iterate()) {
    broken += 1;
    tables.add(table);
  }
  return broken === 0
    ? passed('references', 'every reference is valid')
    : failed(
        'references',
        `${broken} rows of ${[...tables].join(', ')} refer to rows that are missing`,
        RESTORE,
      );
};

const search = (lake: Lake): CheckResult => {
  const { ok, detail } = checkSearch(lake);
  const advice = `\`${commandText('doctor --rebuild-search')}\` rebuilds it.`;
  return ok ? passed('search index', detail) : failed('search index', detail, advice);
};

/** Reason why a readable lake cannot be written; undefined if it can. Opening it removes leftovers. */
const unwritable = (dataDir: string): string | undefined => {
  try {
    openLake(dataDir).close();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

const missingDatabase = (dataDir: string, path: string): CheckResult => {
  if (existsSync(restoredName(path))) return passed('database', `none yet at ${path}`); // see leftovers
  try {
    refuseFormerLake(dataDir, path);
    return passed('database', `none yet at ${path}`);
  } catch (error) {
    return failed('database', messageOf(error), null);
  }
};

const clockFinding = (lake: Lake, clock: Clock): CheckResult => {
  const problems = clockProblems(lake, clock.now());
  if (problems.length === 0) return passed('clock', 'agrees with the lake');
  const advice = `\`${commandText('doctor --remove-future')}\` removes rows of the future once the clock is right.`;
  return failed('clock', problems.join(' '), advice);
};

/** Receives the name of the next check, which may take minutes in a large lake. */
export type OnCheck = (check: string) => void;

function* databaseFindings(
  dataDir: string,
  clock: Clock,
  onCheck: OnCheck,
): Generator<CheckResult> {
  const path = join(dataDir, LAKE_FILE);
  if (!existsSync(path)) return yield missingDatabase(dataDir, path);
  let lake: Lake;
  try {
    lake = openLakeForReading(dataDir); // does not migrate an older schema
    const refused = unwritable(dataDir);
    if (refused !== undefined) yield failed('data directory', refused, null);
  } catch (error) {
    // refused access to the file or its journals is not damage
    const isRefused = error instanceof UsageError && error.cause !== undefined;
    const isWhole = error instanceof OtherSchemaError || isRefused;
    return yield failed('database', messageOf(error), isWhole ? null : RESTORE);
  }
  const checks = {
    database: integrity,
    references: foreignKeys,
    'search index': search,
    secrets: secretsFinding,
    clock: (of: Lake) => clockFinding(of, clock),
  };
  try {
    for (const [check, examined] of Object.entries(checks)) {
      onCheck(check);
      yield finding(check, RESTORE, () => examined(lake));
    }
  } finally {
    lake.close();
  }
}

const leftoversFinding = (dataDir: string): CheckResult => {
  const restored = restoredName(join(dataDir, LAKE_FILE));
  const [unfinished] = unfinishedBackups(dataDir);
  if (unfinished !== undefined)
    return failed(
      'leftovers',
      `${unfinished} is left over from an interrupted backup`,
      `Run \`${commandText('backup')}\` to remove it and make a new backup.`,
    );
  return existsSync(restored)
    ? failed(
        'leftovers',
        `${restored} is left over from an interrupted restore`,
        `A restore was interrupted. Run \`${commandText('doctor --restore')}\` again.`,
      )
    : passed('leftovers', 'none');
};

const backupFinding = (dataDir: string, clock: Clock): CheckResult => {
  const newest = backupsIn(dataDir).at(-1);
  const hasLake = existsSync(join(dataDir, LAKE_FILE));
  const advice = `\`${commandText('backup')}\` makes one; \`${commandText('schedule')}\` does every night.`;
  if (newest === undefined)
    return hasLake ? passed('backup', `none yet; ${advice}`) : passed('backup', 'none yet');
  const madeAt = Date.parse(/(\d{4}-\d\d-\d\d)\.db$/.exec(newest.path)?.[1] ?? '');
  const ageDays = Math.floor((clock.now() - madeAt) / DAY_MS);
  if (ageDays < 0)
    return failed(
      'backup',
      `the newest, ${newest.path}, has a date in the future`,
      `The clock is wrong now, or was then. Set the clock or rename the file, because \`${commandText('doctor --restore')}\` restores the file with the latest date.`,
    );
  return ageDays <= 7
    ? passed('backup', newest.path)
    : failed('backup', `the newest, ${newest.path}, is ${ageDays} days old`, advice);
};

const octal = (mode: number): string => mode.toString(8);

/** Checks that no other user can read or change the data directory. */
const modesFinding = (dataDir: string): CheckResult => {
  const user = process.getuid?.();
  const entries = ownEntries(dataDir);
  const [folder] = entries;
  if (user === undefined || folder === undefined) return passed('modes', 'nothing to check');
  const foreign = entries.find(({ uid }) => uid !== user);
  if (foreign !== undefined)
    return failed(
      'modes',
      `${foreign.path} belongs to user ${foreign.uid}, and trendlake runs as user ${user}`,
      `Run trendlake as that user, or \`chown -R ${user} ${dataDir}\`.`,
    );
  // files in a folder that others cannot enter are closed to them too
  const open = entries.find(
    ({ mode }) => (mode & folder.mode & 0o007) !== 0 || (mode & 0o022) !== 0,
  );
  if (open !== undefined)
    return failed(
      'modes',
      `${open.path} can be ${(open.mode & 0o022) === 0 ? 'read' : 'changed'} by other users of this machine (mode ${octal(open.mode)})`,
      `\`chmod ${open.isFolder ? '700' : '600'} ${open.path}\`: it holds secrets, key hashes and the data.`,
    );
  const isGroups = (folder.mode & 0o070) !== 0;
  return passed(
    'modes',
    isGroups ? `a group may read (${octal(folder.mode)})` : 'only you can read it',
  );
};

/** Checks that signing secrets are outside the lake, so that backups and exports do not contain them. */
const secretsFinding = (lake: Lake): CheckResult => {
  const inLake = required(
    prepare(lake.sqlite, "select count(*) from subscriptions where secret <> ''", 'number').get(),
  );
  return inLake === 0
    ? passed('secrets', 'none in the lake')
    : failed(
        'secrets',
        `the lake holds the secrets of ${inLake} webhook subscriptions`,
        `\`${commandText('sync')}\` or \`serve\` moves them to service.db.`,
      );
};

const manifest = z.object({
  lakeId: z.string().optional(),
  restoreMark: z.string().optional(),
  files: z.array(z.object({ path: z.string(), sha256: z.string() })),
});

/** Finding if a manifest belongs to another lake or to this one before a restore. */
const foreignExport = (
  dataDir: string,
  { lakeId, restoreMark = '' }: z.infer<typeof manifest>,
): Pick<CheckResult, 'detail' | 'advice'> | undefined => {
  let lake: Lake;
  try {
    lake = openLakeForReading(dataDir);
  } catch {
    return undefined; // reported by the database check
  }
  try {
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
    return undefined;
  } finally {
    lake.close();
  }
};

const parquetFinding = async (dataDir: string): Promise<CheckResult> => {
  const folder = join(dataDir, 'parquet');
  const path = join(folder, 'manifest.json');
  const advice = `\`${commandText('export --full')}\` rewrites every file.`;
  if (!existsSync(path)) return passed('Parquet', 'nothing exported yet');
  try {
    const exported = manifest.parse(JSON.parse(readFileSync(path, 'utf8')));
    const { files } = exported;
    const foreign = foreignExport(dataDir, exported);
    if (foreign !== undefined) return { check: 'Parquet', ok: false, ...foreign };
    for (const { path: name, sha256 } of files) {
      const file = join(folder, name);
      if (!existsSync(file)) return failed('Parquet', `${file} is missing`, advice);
      if ((await sha256Of(file)) !== sha256)
        return failed('Parquet', `${file} changed after it was exported`, advice);
    }
    return passed('Parquet', `${files.length} files agree with the manifest`);
  } catch (error) {
    return failed('Parquet', `${path} cannot be read: ${messageOf(error)}`, advice);
  }
};

/** Checks a data directory and yields each result when it is known. Repairs nothing, blocks no writer. */
export async function* examine(
  dataDir: string,
  clock: Clock,
  onCheck: OnCheck = () => {},
): AsyncGenerator<CheckResult> {
  yield passed('data directory', `${dataDir}, checked ${isoOf(clock.now())}`);
  yield modesFinding(dataDir);
  yield* databaseFindings(dataDir, clock, onCheck);
  onCheck('Parquet');
  yield await parquetFinding(dataDir);
  yield backupFinding(dataDir, clock);
  yield leftoversFinding(dataDir);
}
