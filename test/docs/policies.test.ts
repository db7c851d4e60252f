import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/reference/policies.md');

/** Modules that open connections, with the names that do not. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  undici: [],
  pg: [],
  nodemailer: [],
  '@aws-sdk/client-s3': ['Command'],
  'node:dgram': [],
  'node:dns': [],
  'node:http': ['createServer'],
  'node:http2': [],
  'node:https': ['createServer'],
  'node:net': ['isIP', 'BlockList', 'Socket', 'createServer'],
  'node:tls': [],
};

const IMPORT = /^import (?!type )([\s\S]*?) from '([^']+)';$/gm;

/** True if the module can open a connection by itself. */
const connects = (source: string): boolean => {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
  if (/(?<![.\w])fetch\(|new (WebSocket|EventSource)\(/.test(code)) return true;
  for (const [, module = ''] of code.matchAll(/(?<!typeof )import\('([^']+)'\)/g))
    if (HARMLESS[module] !== undefined) return true;
  for (const [, names = '', module = ''] of code.matchAll(IMPORT)) {
    const harmless = HARMLESS[module];
    const values = names
      .split(/[{},\s]*[{},][{},\s]*/)
      .filter((name) => name !== '' && !name.startsWith('type '));
    if (
      harmless !== undefined &&
      values.some((name) => !harmless.some((end) => name.endsWith(end)))
    )
      return true;
  }
  return false;
};

test('finds each way to open a connection', () => {
  const lines = [
    "import { request } from 'undici';",
    "import {\n  type Dispatcher,\n  Agent,\n} from 'undici';",
    "await import('pg');",
    'await fetch(url)',
    "import { connect } from 'node:net';",
    "import https from 'node:https';",
  ];
  expect(lines.filter((line) => !connects(line))).toEqual([]);
  expect(connects("import type { request } from 'undici';")).toBe(false);
  expect(connects("import { isIP, type Socket } from 'node:net';\napp.fetch(request)")).toBe(false);
});

test('the page lists everything that trendlake connects to', () => {
  const listed = [...page.matchAll(/^- .*\(`(src\/[\w/.-]+)`\)$/gm)].map(([, path]) => path);
  const files = globSync(['src/**/*.ts', 'jobs/**/*.ts'], { cwd: root });
  const found = files.filter((path) => connects(read(path)));
  expect(listed.sort()).toEqual(found.sort());
});

test('the pages load nothing from other hosts', () => {
  const assets = globSync('src/serve/assets/**/*.{js,css}', { cwd: root });
  expect(assets.length).toBeGreaterThan(3);
  const loads = /(?:url\(|import |fetch\(|src=)\s*['"]?https?:\/\//;
  expect(assets.filter((path) => loads.test(read(path)))).toEqual([]);
});

test('the Node lines of the page are those of the package and of CI', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const workflow = parse(read('.github/workflows/check.yml')) as {
    jobs: Record<string, { strategy?: { matrix?: { node?: readonly string[] } } }>;
  };
  const nodes = Object.values(workflow.jobs).flatMap((job) => job.strategy?.matrix?.node ?? []);
  expect(engines.node).toBe('>=22.19');
  expect(page).toContain('22 (from 22.19), 24 and 26');
  expect([...new Set(nodes)]).toEqual(['22.19', '24', '26']);
});
