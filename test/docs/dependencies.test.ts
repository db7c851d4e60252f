import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/internals/dependencies.md');
const { dependencies } = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>;
};
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { license?: string; dev?: boolean; devOptional?: boolean }>;
};

const MONTHS = 18;
const rows = [...page.matchAll(/^- `([^`]+)` \(([\w.-]+), ([\d-]{10})\): /gm)].map(
  ([, name = '', licence = '', inUse = '']) => ({ name, licence, inUse }),
);

test('the page has every package that users install, with its licence', () => {
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(dependencies).sort());
  for (const { name, licence } of rows)
    expect([name, licence]).toEqual([name, packages[`node_modules/${name}`]?.license]);
});

test('every licence, transitive ones included, is one that the page allows', () => {
  const allowed: readonly string[] =
    page.slice(page.indexOf('## Licences')).match(/[\w.-]*[A-Z][\w.-]*/g) ?? [];
  const shipped = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true,
  );
  expect(shipped.length).toBeGreaterThan(rows.length);
  const refused = shipped.filter(([, { license = 'none' }]) => !allowed.includes(license));
  expect(refused).toEqual([]);
});

test('a release that is old on the day of the check is admitted, and no other', () => {
  const checked = new Date(/checked on ([\d-]{10})/.exec(page)?.[1] ?? '');
  checked.setUTCMonth(checked.getUTCMonth() - MONTHS);
  const limit = checked.toISOString().slice(0, 10);
  const old = rows.filter(({ inUse }) => inUse < limit).map(({ name }) => name);
  const admitted = [...page.matchAll(/^- `([^`]+)`: /gm)].map(([, name]) => name);
  expect(admitted).toEqual(old);
});
