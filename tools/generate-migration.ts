import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Writes the migration that leads from the last one to the tables in schema/. What the
// generator cannot say is added to its text: every table is STRICT, and a table whose primary key
// spans several columns is clustered by it (WITHOUT ROWID). The search index and its triggers
// (schema/search.sql), which it knows nothing of, are appended where no migration has them yet.
//
//   npm run schema:generate -- --name what-changes

const root = join(import.meta.dirname, '..');
const folder = join(root, 'schema', 'migrations');

/** The same SQL with the table options in place; running it twice changes nothing. */
const withTableOptions = (migration: string): string =>
  migration.replace(/CREATE TABLE [^;]*?\n\)(?=;)/g, (table) =>
    /\n\tPRIMARY KEY\(/.test(table) ? `${table} STRICT, WITHOUT ROWID` : `${table} STRICT`,
  );

execFileSync('drizzle-kit', ['generate', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
const paths = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => join(folder, name));
for (const path of paths) writeFileSync(path, withTableOptions(readFileSync(path, 'utf8')));

const hasSearch = paths.some((path) => readFileSync(path, 'utf8').includes('CREATE VIRTUAL TABLE'));
const newest = paths.at(-1);
if (!hasSearch && newest !== undefined)
  appendFileSync(newest, `\n${readFileSync(join(root, 'schema', 'search.sql'), 'utf8')}`);

// The generator compares with the newest snapshot alone; the older ones are in the history.
const meta = join(folder, 'meta');
const snapshots = readdirSync(meta).filter((name) => name.endsWith('_snapshot.json'));
for (const older of snapshots.sort().slice(0, -1)) rmSync(join(meta, older));
