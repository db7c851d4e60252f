import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { lineOf, sourcesIn } from './support/syntax.ts';

const root = join(import.meta.dirname, '..');

/** Which rooms each room may call, lowest first. `root` is src/*.ts. Types may be borrowed from any stage. */
const MAY_CALL: Record<string, readonly string[]> = {
  schema: [],
  root: [],
  config: ['schema', 'root'],
  'data-dir': ['root'],
  wire: ['schema', 'root'],
  api: ['root', 'wire'],
  lake: ['root', 'wire', 'data-dir'],
  'service-db': ['root', 'data-dir', 'lake'],
  throttle: ['root', 'lake', 'api'],
  ledger: ['root', 'config', 'throttle'],
  history: ['schema', 'root', 'wire', 'lake'],
  search: ['root', 'wire', 'lake', 'history'],
  export: ['root', 'config', 'lake'],
  load: ['schema', 'root', 'wire', 'lake', 'api', 'history', 'search', 'export'],
  budget: ['schema', 'root', 'wire', 'lake', 'history'],
  forecast: ['schema', 'root', 'lake', 'export'],
  publish: ['root', 'lake'],
  events: ['schema', 'root', 'wire', 'lake', 'history', 'export'],
  webhooks: ['schema', 'root', 'wire', 'lake', 'service-db', 'load', 'events'],
  notify: ['root', 'lake', 'webhooks'],
  lab: ['root', 'wire', 'lake', 'history', 'forecast'],
  query: ['root', 'lake'],
  report: ['schema', 'root', 'wire', 'lake', 'history'],
  mcp: ['schema', 'root', 'wire', 'lake', 'history', 'search', 'forecast', 'lab', 'query'],
  maintenance: ['schema', 'root', 'data-dir', 'lake', 'history', 'search'],
  metrics: ['schema', 'root', 'lake', 'throttle', 'export', 'history'],
  serve: [
    ...['schema', 'root', 'config', 'wire', 'lake', 'service-db', 'history', 'search'],
    ...['forecast', 'lab', 'webhooks', 'query', 'events', 'export'],
  ],
  sandbox: ['schema', 'root', 'wire', 'lake', 'service-db', 'load', 'serve'],
  runner: [
    ...['schema', 'root', 'wire', 'lake', 'history', 'api', 'throttle', 'load'],
    ...['search', 'budget', 'forecast', 'events', 'webhooks', 'notify'],
  ],
  pipeline: [
    ...['root', 'data-dir', 'lake', 'throttle', 'export', 'forecast', 'maintenance'],
    ...['notify', 'runner'],
  ],
  demo: ['root', 'lake', 'runner'],
  jobs: ['lake', 'schema', 'root', 'load', 'export', 'publish', 'runner', 'maintenance'],
  cli: [
    ...['schema', 'root', 'config', 'wire', 'lake', 'history', 'search', 'api', 'throttle'],
    ...['load', 'export', 'events', 'webhooks', 'notify', 'lab', 'serve', 'sandbox'],
    ...['runner', 'demo', 'jobs', 'metrics', 'maintenance', 'publish', 'report', 'forecast'],
    ...['query', 'mcp', 'ledger', 'pipeline'],
  ],
  package: [...['schema', 'root', 'config', 'wire', 'lake', 'history', 'search', 'api'], 'runner'],
};

/** What the package offers to import, at the rim like the command line. */
const PUBLIC = ['src/public/client.ts', 'src/public/lake.ts'];

const files = ['schema', 'src', 'jobs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|js)$/.test(name))
    .map((name) => join(root, folder, name)),
);

const roomOf = (file: string): string => {
  if (PUBLIC.includes(relative(root, file))) return 'package';
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

test('no room is allowed what it does not do', () => {
  const done = new Set(
    arrows
      .filter(({ isType }) => !isType)
      .map(({ from, to }) => `${roomOf(from)} -> ${roomOf(to)}`),
  );
  const idle = Object.entries(MAY_CALL).flatMap(([caller, called]) =>
    called.map((room) => `${caller} -> ${room}`).filter((arrow) => !done.has(arrow)),
  );
  expect(idle).toEqual([]);
});

test('the rooms stand in order: each calls only those above it in the table', () => {
  const order = Object.keys(MAY_CALL);
  const upward = Object.entries(MAY_CALL).flatMap(([caller, called]) =>
    called
      .filter((room) => order.indexOf(room) >= order.indexOf(caller))
      .map((room) => `${caller} -> ${room}`),
  );
  expect(upward).toEqual([]);
});

test('no module leads back to itself, not even by a type', () => {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const isFree = new Set<string>();
  const circleFrom = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (isFree.has(file)) return undefined;
    for (const { to } of next.get(file) ?? []) {
      const circle = circleFrom(to, [...path, file]);
      if (circle !== undefined) return circle;
    }
    isFree.add(file);
    return undefined;
  };
  const circles = files.map((file) => circleFrom(file, [])).filter((found) => found !== undefined);
  expect(circles.map((circle) => circle.map((file) => relative(root, file)))).toEqual([]);
});

/** Names that stand for the same thing in several files. */
const SHARED_NAMES: readonly { readonly name: RegExp; readonly file: RegExp }[] = [
  { name: /^define$/, file: /^src\/cli\/commands\// }, // of each command
  { name: /./, file: /^src\/mcp\/inputs\.ts$/ }, // the service's parameters, for assistants
  { name: /./, file: /^src\/(lake|client)\.ts$/ }, // names that the package has promised
];

test('no two files export the same name for two things', () => {
  const exported = files.flatMap((file) => {
    const path = relative(root, file);
    const found = readFileSync(file, 'utf8').matchAll(
      /^export (?:abstract )?(?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm,
    );
    return [...new Set([...found].map(([, name = '']) => name))]
      .filter((name) => !SHARED_NAMES.some((one) => one.name.test(name) && one.file.test(path)))
      .map((name) => ({ name, path }));
  });
  const several = [...Map.groupBy(exported, ({ name }) => name)].filter(
    ([, all]) => all.length > 1,
  );
  expect(several.map(([name, all]) => `${name}: ${all.map(({ path }) => path)}`)).toEqual([]);
});

/** A file longer than this holds more than one idea. */
const MOST_LINES = 300;

test('every file is short enough to be one idea', () => {
  const long = files.filter(
    (file) => readFileSync(file, 'utf8').split('\n').length - 1 > MOST_LINES,
  );
  expect(long.map((file) => relative(root, file))).toEqual([]);
});

/** What reads the time or waits by itself. A socket's own `setTimeout` is Node's, for its network. */
const TIME =
  /\bsystemClock\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|(?<![.\w])set(?:Timeout|Interval)\(|['"](?:node:)?timers/;

/** Where the machine's time enters: the rim of a process or of a thread. */
const RIMS = [
  'src/public/client.ts', // where other programs enter
  'src/base/clock.ts',
  'src/cli/main.ts',
  'src/cli/context/process-surroundings.ts',
  'src/cli/commands/serve.ts', // what it shows may stand still; its patience is the machine's
  'src/run/metrics/scrape-worker.ts', // a thread
  'src/sandbox/sandbox.ts', // as serve; and it lets others have their turn
  'src/serve/cache/reader-worker.ts', // a thread
  'src/serve/pages/page-script.ts', // runs in a browser
  'src/public/lake.ts', // where other programs enter
  'src/ingest/responses/replay.ts', // only lets others have their turn
  'src/ingest/imports/import-reader.ts', // the same
  'src/lake/search/search-index.ts', // the same
  'src/output/parquet/export-lake.ts', // the same
];

test('the time is handed in: only the rims read it, wait by themselves or roll dice', () => {
  const readers = files.filter((file) =>
    TIME.test(readFileSync(file, 'utf8').replace(/^\s*(\*|\/\/).*$/gm, '')),
  );
  const names = readers.map((file) => relative(root, file));
  expect(names.filter((name) => !RIMS.includes(name))).toEqual([]);
});

const all = sourcesIn('src', 'jobs', 'schema', 'tools', 'bench', 'fixtures');
const MOST_PARAMETERS = 4;

test('no function takes more than four parameters: what belongs together is handed together', () => {
  const found = all.flatMap((source) =>
    source.nodes
      .filter(
        (node) =>
          (node.type === 'FunctionDeclaration' ||
            node.type === 'FunctionExpression' ||
            node.type === 'ArrowFunctionExpression' ||
            node.type === 'TSFunctionType' ||
            node.type === 'TSMethodSignature') &&
          node.params.length > MOST_PARAMETERS,
      )
      .map((node) => lineOf(source, node)),
  );
  expect(found).toEqual([]);
});

test('tools and benches stand without the tests: what both need lies in fixtures/', () => {
  const found = all.flatMap((source) =>
    source.nodes
      .filter(
        (node) =>
          node.type === 'ImportDeclaration' && /\.\.\/test\//.test(String(node.source.value)),
      )
      .map((node) => lineOf(source, node)),
  );
  expect(found).toEqual([]);
});
