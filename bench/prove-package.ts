import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Packs the package as `npm publish` would, installs the tarball into an empty project and uses it
// there as a consumer: types, both entry points, the command from its first sync to a query.
//
//   npm run prove:package

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules', '.bin');
const folder = mkdtempSync(join(tmpdir(), 'trendlake package '));
const project = join(folder, 'empty project');

/** Runs a program, printing what it said only when it fails. */
const run = (program: string, args: readonly string[], cwd: string): string => {
  try {
    return execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TRENDLAKE_GROWTH_CALLS: '5', TRENDLAKE_CREATOR_CALLS: '2' },
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`);
  }
};

const CONSUMER = `
declare const process: { readonly argv: readonly string[] };
import { createClient, type VideoList } from 'trendlake/client';
import { openLake, type ContentItem } from 'trendlake/lake';

using lake = openLake('data');
const feed = await lake.feed('tiktok', { limit: 3 });
const first: ContentItem | undefined = feed.items[0];
// @ts-expect-error a platform nobody knows
lake.trends('myspace', 'day').catch(() => {});
const pull = async (baseUrl: string, apiKey: string): Promise<VideoList> => {
  await using client = createClient({ baseUrl, apiKey, dataDir: 'calls', tier: 'beta' });
  return client.feed('tiktok', { limit: 2 });
};
if (process.argv[2] !== undefined) await pull(process.argv[2], process.argv[3] ?? '');
const growth = first === undefined ? undefined : lake.growth(first.id);
console.log(JSON.stringify({ total: feed.total, rank: first?.rank, snapshots: growth?.snapshots.length }));
`;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom'],
    types: [],
    outDir: 'out',
    skipLibCheck: false,
  },
  include: ['*.ts'],
};

const done = (what: string): void => void process.stdout.write(`${what}: good\n`);

try {
  mkdirSync(project);
  run('npm', ['pack', '--pack-destination', folder], ROOT);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
  run(join(BIN, 'publint'), ['run', tarball, '--strict'], ROOT);
  done('publint');
  run(join(BIN, 'attw'), [tarball, '--profile', 'esm-only'], ROOT);
  done('are the types wrong');

  writeFileSync(join(project, 'package.json'), '{ "name": "consumer", "type": "module" }\n');
  run('npm', ['install', '--no-audit', '--no-fund', tarball], project);
  writeFileSync(join(project, 'consumer.ts'), CONSUMER);
  const page = readFileSync(join(ROOT, 'docs', 'library.md'), 'utf8');
  const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  if (examples.length === 0) throw new Error('docs/library.md has no examples');
  for (const [n, code] of examples.entries()) writeFileSync(join(project, `example-${n}.ts`), code);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  run(join(BIN, 'tsc'), ['-p', 'tsconfig.json'], project);
  done(`types of a consumer and of ${examples.length} examples, declarations checked`);

  const command = join(project, 'node_modules', '.bin', 'trendlake');
  run(command, ['--version'], project);
  run(command, ['sync'], project);
  const rows = run(command, ['query', 'select count(*) as n from videos', '--json'], project);
  if (!/"n": ?[1-9]/.test(rows)) throw new Error(`query after sync gave ${rows}`);
  done('the installed command: sync, query');

  const read = run(process.execPath, ['out/consumer.js'], project);
  if (!/"rank":1/.test(read)) throw new Error(`the consumer read ${read}`);
  done(`the consumer reads the lake (${read.trim()})`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
