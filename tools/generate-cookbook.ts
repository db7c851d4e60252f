import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { type Lake, openLakeForReading } from '../src/lake/open.ts';

// Writes the answers into docs/guides/cookbook.md. Questions and SQL are written by hand, the answers come
// from a demo lake.
//
//   npm run docs cookbook

const root = join(import.meta.dirname, '..');
export const COOKBOOK = join(root, 'docs/guides/cookbook.md');

/** Settings of the demo on the page, so that every reader can make the same lake. */
const SETTINGS = {
  TRENDLAKE_LIST_ITEMS: '50',
  TRENDLAKE_GROWTH_CALLS: '20',
  TRENDLAKE_CREATOR_CALLS: '8',
};
const DEMO = ['demo', '--nights', '9', '--at', '2026-11-21T02:00Z', '--json'];

/** Command line of that demo. */
export const demoCommand = (): string =>
  [...Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`), 'trendlake']
    .concat(DEMO.slice(0, -1))
    .join(' ');

/** Makes the demo lake in a folder, in about half a minute. */
export const makeDemoLake = (dataDir: string): Lake => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TRENDLAKE_DATA_DIR: dataDir };
  execFileSync(process.execPath, [join(root, 'src', 'cli', 'bin.js'), ...DEMO], {
    cwd: dataDir,
    env: { ...env, ...SETTINGS },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return openLakeForReading(dataDir);
};

const cell = (value: unknown): string => {
  if (value === null) return '';
  const text =
    typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : `${value}`;
  return text.replaceAll(/\s+/g, ' ');
};

/** Rows as aligned columns of text. */
const textTable = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0]?.map((_, at) =>
    Math.max(...rows.map((row) => stringWidth(row[at] ?? ''))),
  );
  return rows
    .map((row) =>
      row
        .map((text, at) => text + ' '.repeat((widths?.[at] ?? 0) - stringWidth(text)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const answerOf = ({ sqlite }: Lake, query: string): string => {
  const statement = sqlite.prepare(query);
  const names = statement.columns().map(({ name }) => name);
  const rows = statement.raw().all() as unknown[][];
  return textTable([names, ...rows.map((row) => row.map(cell))]);
};

const RECIPE = /(```sql\n)([\s\S]*?)(\n```\n\n)```text\n[\s\S]*?```\n/g;

/** The page with the answers that a lake gives. */
export const cookbookPage = (lake: Lake, page: string): string =>
  page.replace(
    RECIPE,
    (_, open: string, query: string, close: string) =>
      `${open}${query}${close}\`\`\`text\n${answerOf(lake, query)}\n\`\`\`\n`,
  );

if (process.argv[1] === import.meta.filename) {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-cookbook-'));
  try {
    const lake = makeDemoLake(dataDir);
    writeFileSync(COOKBOOK, cookbookPage(lake, readFileSync(COOKBOOK, 'utf8')));
    lake.close();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
