import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Which rooms each room may call. `root` is src/*.ts. Types may be borrowed from any stage. */
const MAY_CALL: Record<string, readonly string[]> = {
  schema: [],
  root: ['schema'],
  api: ['schema', 'root'],
  lake: ['schema', 'root'],
  throttle: ['schema', 'root', 'lake', 'api'],
  load: ['schema', 'root', 'lake', 'api'],
  budget: ['schema', 'root', 'lake'],
  export: ['schema', 'root', 'lake'],
  events: ['schema', 'root', 'lake'],
  webhooks: ['schema', 'root', 'lake', 'events'],
  lab: ['schema', 'root', 'lake', 'api'],
  metrics: ['schema', 'root', 'lake', 'throttle', 'export'],
  serve: ['schema', 'root', 'lake', 'api', 'lab', 'webhooks'],
  sandbox: ['schema', 'root', 'lake', 'load', 'serve'],
  runner: [
    ...['schema', 'root', 'lake', 'api', 'throttle', 'load'],
    ...['budget', 'export', 'events', 'webhooks'],
  ],
  jobs: ['schema', 'root', 'lake', 'export', 'runner'],
  cli: [
    ...['schema', 'root', 'lake', 'api', 'throttle', 'load', 'budget', 'export', 'events'],
    ...['webhooks', 'lab', 'serve', 'sandbox', 'runner', 'jobs', 'metrics'],
  ],
};

const files = ['schema', 'src', 'jobs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|js)$/.test(name))
    .map((name) => join(root, folder, name)),
);

const roomOf = (file: string): string => {
  const [first = '', second = '', third] = relative(root, file).split('/');
  if (first !== 'src') return first;
  return third === undefined ? 'root' : second;
};

interface Arrow {
  from: string;
  to: string;
  isType: boolean;
}

const IMPORT = /(?:import|export)\s+(type\s+)?[^;]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/g;

const arrows: Arrow[] = files.flatMap((from) =>
  [...readFileSync(from, 'utf8').matchAll(IMPORT)].map(([, type, fixed, lazy]) => ({
    from,
    to: resolve(dirname(from), fixed ?? lazy ?? ''),
    isType: type !== undefined,
  })),
);

test('every room is known here', () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(MAY_CALL).sort());
});

test('imports point one way', () => {
  const back = arrows.filter(({ from, to, isType }) => {
    const [caller, called] = [roomOf(from), roomOf(to)];
    return !isType && caller !== called && !MAY_CALL[caller]?.includes(called);
  });
  expect(back.map(({ from, to }) => `${relative(root, from)} -> ${relative(root, to)}`)).toEqual(
    [],
  );
});

test('only the clock and the process itself read the time or roll dice', () => {
  const readers = files.filter((file) =>
    /\bDate\.now\(|\bMath\.random\(|\bnew Date\(\)|\bperformance\.now\(/.test(
      readFileSync(file, 'utf8').replace(/^\s*(\*|\/\/).*$/gm, ''),
    ),
  );
  expect(readers.map((file) => relative(root, file))).toEqual(['src/clock.ts']);
});
