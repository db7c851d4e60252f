import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

/** The part of the page under a heading. */
const under = (heading: string): string =>
  page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';

const rowsOf = (heading: string): string[][] =>
  [...under(heading).matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(' | '));

// `test/architecture.test.ts` holds that its table has just these rooms.
test('every room has its row', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true });
  const rooms = folders.filter((one) => one.isDirectory()).map(({ name }) => `\`src/${name}/\``);
  const named = rowsOf('Rooms').map(([room]) => room);
  expect(named).toEqual(
    expect.arrayContaining([
      ...rooms,
      '`src/*.ts`',
      '`schema/`',
      '`jobs/`',
      '`src/client.ts`, `src/lake.ts`',
    ]),
  );
});

test('every file and folder that the page names is there', () => {
  const paths = [...page.matchAll(/`((?:src|schema|jobs|test|fixtures|docs|tools)\/[\w/.-]*)`/g)];
  const missing = paths
    .map(([, path = '']) => path)
    .filter((path) => !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});

test('every function of the trace stands in its file', () => {
  const steps = rowsOf('The trace').filter(([number]) => /^\d+$/.test(number ?? ''));
  expect(steps.length).toBeGreaterThan(10);
  let source = '';
  const lost = steps.filter(([, name = '', file = '']) => {
    const path = /`(.+)`/.exec(file)?.[1];
    if (path !== undefined) source = readFileSync(join(root, path), 'utf8');
    const [owner = '', method] = name.replaceAll('`', '').split('.');
    return method === undefined
      ? !new RegExp(`const ${owner}\\b`).test(source)
      : !new RegExp(`class ${owner}\\b[\\s\\S]*?\\n  (?:async )?#?\\*?${method}[<(]`).test(source);
  });
  expect(lost.map(([, name]) => name)).toEqual([]);
});
