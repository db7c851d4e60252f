import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Makes one migration of all that follow a released one, before a release: lakes made between two releases
// are nobody's. Statements keep their order. Views are dropped first and created last, each once, in their
// newest text.
//
//   node tools/squash-migrations.ts 0000_lake since-0.1.0

interface Journal {
  readonly entries: { idx: number; when: number; tag: string }[];
}

const [released, name] = process.argv.slice(2);
const folder = join(import.meta.dirname, '..', 'schema', 'migrations');
const journalPath = join(folder, 'meta', '_journal.json');
const journal = JSON.parse(readFileSync(journalPath, 'utf8')) as Journal;
const kept = journal.entries.findIndex(({ tag }) => tag === released) + 1;
const newest = journal.entries.at(-1);
if (kept === 0 || name === undefined || newest === undefined)
  throw new Error('Name the last released migration and the new one: 0000_lake since-0.1.0');

const VIEW = /^(DROP|CREATE) VIEW `(\w+)`.*;(?:--> statement-breakpoint)?$/gm;
const sqlOf = ({ tag }: { tag: string }): string =>
  readFileSync(join(folder, `${tag}.sql`), 'utf8').trim();
const viewsOf = (sql: string): Map<string, string> => {
  const views = new Map<string, string>();
  for (const [statement, action, view = ''] of sql.matchAll(VIEW)) {
    views.delete(view); // a created view moves to the end: it may read others
    views.set(view, action === 'CREATE' ? (statement.split('-->')[0] ?? '') : '');
  }
  return views;
};

const existing = viewsOf(journal.entries.slice(0, kept).map(sqlOf).join('\n'));
const squashed = journal.entries.slice(kept).map(sqlOf).join('\n');
const changed = viewsOf(squashed);
const statements = [
  ...[...changed.keys()]
    .filter((view) => existing.get(view))
    .map((view) => `DROP VIEW \`${view}\`;`),
  squashed
    .replace(VIEW, '')
    .replace(/\n{2,}/g, '\n')
    .trim(),
  ...[...changed.values()].filter((statement) => statement !== ''),
];

const tag = `${String(kept).padStart(4, '0')}_${name}`;
const snapshotPath = (index: number): string =>
  join(folder, 'meta', `${String(index).padStart(4, '0')}_snapshot.json`);
for (const entry of journal.entries.splice(kept)) rmSync(join(folder, `${entry.tag}.sql`));
writeFileSync(join(folder, `${tag}.sql`), `${statements.join('\n')}\n`);
writeFileSync(
  journalPath,
  JSON.stringify(
    { ...journal, entries: [...journal.entries, { ...newest, idx: kept, tag }] },
    null,
    2,
  ),
);
renameSync(snapshotPath(newest.idx), snapshotPath(kept));
// The generator compares with the newest snapshot alone.
for (const file of readdirSync(join(folder, 'meta')))
  if (/^\d{4}_snapshot/.test(file) && file !== `${tag.slice(0, 4)}_snapshot.json`)
    rmSync(join(folder, 'meta', file));
