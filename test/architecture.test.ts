import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { lineOf, type Source, sourcesIn } from './support/syntax.ts';

const root = join(import.meta.dirname, '..');

interface House {
  /** Houses whose values it may import. Types may come from any house. */
  readonly calls: readonly string[];
  /** Its rooms from the foundation to the roof; '' is the folder itself. A room imports values only from rooms before it. */
  readonly rooms: readonly string[];
}

/** The houses, lowest first. The README of each says what it holds. */
const HOUSES: Readonly<Record<string, House>> = {
  schema: { calls: [], rooms: [''] },
  base: { calls: ['schema'], rooms: ['', 'wire', 'data-dir', 'config'] },
  lake: {
    calls: ['schema', 'base'],
    rooms: ['', 'keys', 'read', 'watches', 'lists', 'search', 'query'],
  },
  upstream: {
    calls: ['schema', 'base', 'lake'],
    rooms: ['', 'decode', 'probe', 'throttle', 'ledger-postgres'],
  },
  ingest: {
    calls: ['schema', 'base', 'lake', 'upstream'],
    rooms: ['writers', 'responses', 'imports'],
  },
  learn: {
    calls: ['schema', 'base', 'lake'],
    rooms: ['model', 'volumes', 'forecast', 'budget', 'why'],
  },
  output: { calls: ['base', 'lake'], rooms: ['parquet', 'delta'] },
  alerts: {
    calls: ['schema', 'base', 'lake', 'ingest'],
    rooms: ['events', 'webhooks', 'notify', 'rules', 'report'],
  },
  run: {
    calls: ['schema', 'base', 'lake', 'upstream', 'ingest', 'learn', 'output', 'alerts'],
    rooms: ['plan', 'run', 'schedule', 'maintenance', 'pipeline', 'metrics'],
  },
  serve: {
    calls: ['schema', 'base', 'lake', 'learn', 'output', 'alerts'],
    rooms: ['http', 'auth', 'cache', 'live', 'request', 'pages', 'routes', '', 'mcp'],
  },
  sandbox: {
    calls: ['schema', 'base', 'lake', 'ingest', 'serve'],
    rooms: ['world', '', 'demo'],
  },
  jobs: { calls: ['schema', 'base', 'lake', 'ingest', 'output', 'run'], rooms: [''] },
  cli: {
    calls: [
      'schema',
      'base',
      'lake',
      'upstream',
      'ingest',
      'learn',
      'output',
      'alerts',
      'run',
      'serve',
      'sandbox',
      'jobs',
    ],
    rooms: ['text', 'context', 'commands', ''],
  },
  public: { calls: ['schema', 'base', 'lake', 'upstream', 'learn', 'alerts', 'run'], rooms: [''] },
};

const files = ['schema', 'src', 'jobs'].flatMap(
  (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|js)$/.test(name))
      .map((name) => join(root, folder, name))
      .filter((path) => !path.includes('/serve/assets/')), // runs in a browser
);

interface Place {
  readonly house: string;
  readonly room: string;
}

const placeOf = (file: string): Place => {
  const [first = '', ...rest] = relative(root, file).split('/');
  const [house = '', room = ''] = first === 'src' ? rest.slice(0, -1) : [first];
  return { house, room };
};

const nameOf = (file: string): string => relative(root, file);

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

/** Imports of values between two files of the product. */
const valueArrows = arrows.filter(({ isType }) => !isType);

test('every folder of the source is a room of a house', () => {
  const found = new Set(
    files.map(placeOf).map(({ house, room }) => (room === '' ? house : `${house}/${room}`)),
  );
  const known = Object.entries(HOUSES).flatMap(([house, { rooms }]) =>
    rooms.map((room) => (room === '' ? house : `${house}/${room}`)),
  );
  expect([...found].sort()).toEqual(known.sort());
});

test('a house imports values only from the houses it may call', () => {
  const forbidden = valueArrows.filter(({ from, to }) => {
    const [caller, called] = [placeOf(from).house, placeOf(to).house];
    return caller !== called && !HOUSES[caller]?.calls.includes(called);
  });
  expect(forbidden.map(({ from, to }) => `${nameOf(from)} -> ${nameOf(to)}`)).toEqual([]);
});

test('no house is allowed an import that it does not have', () => {
  const done = new Set(
    valueArrows.map(({ from, to }) => `${placeOf(from).house} -> ${placeOf(to).house}`),
  );
  const idle = Object.entries(HOUSES).flatMap(([house, { calls }]) =>
    calls.map((called) => `${house} -> ${called}`).filter((arrow) => !done.has(arrow)),
  );
  expect(idle).toEqual([]);
});

test('houses only call houses below them', () => {
  const order = Object.keys(HOUSES);
  const upward = Object.entries(HOUSES).flatMap(([house, { calls }]) =>
    calls
      .filter((called) => order.indexOf(called) >= order.indexOf(house))
      .map((called) => `${house} -> ${called}`),
  );
  expect(upward).toEqual([]);
});

test('inside a house, a room imports values only from rooms before it', () => {
  const upward = valueArrows.filter(({ from, to }) => {
    const [caller, called] = [placeOf(from), placeOf(to)];
    const rooms = HOUSES[caller.house]?.rooms ?? [];
    return caller.house === called.house && rooms.indexOf(called.room) > rooms.indexOf(caller.room);
  });
  expect(upward.map(({ from, to }) => `${nameOf(from)} -> ${nameOf(to)}`)).toEqual([]);
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
  { name: /./, file: /^src\/public\// }, // names that the package has promised
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

/** A larger file holds more than one idea. */
const LARGEST_FILE_BYTES = 12 * 1024;

test('every file is small enough to be one idea', () => {
  const large = files.filter((file) => readFileSync(file).length > LARGEST_FILE_BYTES);
  expect(large.map(nameOf)).toEqual([]);
});

/**
 * Code that reads the time or waits by itself. A socket's own `setTimeout` is Node's, for its
 * network.
 */
const TIME =
  /\bsystemClock\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|(?<![.\w])set(?:Timeout|Interval)\(|['"](?:node:)?timers/;

/** Files where the machine's time enters: the rim of a process or of a thread. */
const RIMS = [
  'src/public/client.ts', // where other programs enter
  'src/base/clock.ts',
  'src/cli/main.ts',
  'src/cli/context/process-surroundings.ts',
  'src/cli/commands/serve.ts', // what it shows may stand still; its patience is the machine's
  'src/cli/commands/schedule.ts', // signs of life belong to the process
  'src/run/metrics/scrape-worker.ts', // a thread
  'src/sandbox/sandbox.ts', // as serve; and it lets others have their turn
  'src/serve/cache/reader-worker.ts', // a thread
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

/** An expression without parentheses and `as` around it. */
const bare = (node: Source['nodes'][number]): Source['nodes'][number] =>
  node.type === 'TSAsExpression' || node.type === 'ParenthesizedExpression'
    ? bare(node.expression)
    : node;

test('literals are written out, not spread into others to please the formatter', () => {
  const spread = [...all, ...sourcesIn('prove'), ...sourcesIn('test')].flatMap((source) =>
    source.nodes
      .filter(
        (node) =>
          node.type === 'SpreadElement' &&
          ['ArrayExpression', 'ObjectExpression'].includes(bare(node.argument).type),
      )
      .map((node) => lineOf(source, node)),
  );
  expect(spread).toEqual([]);
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
