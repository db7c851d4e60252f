import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// Packs the package as `npm publish` would, installs the tarball into an empty project and uses it
// there as a consumer: types, both entry points, the command from `init` to `mcp`, its manual and texts.
//
//   npm run prove package

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
let ratio = 0;
for await (const event of lake.each((part) => lake.events({ kind: 'hashtag.rising', ...part })))
  if (event.origin === 'trendlake') ratio = event.data.evidence.ratio;
lake.events({ kind: 'niche.breakout' }).items.map((event) =>
  // @ts-expect-error evidence of another kind
  event.origin === 'trendlake' ? event.data.evidence.usualPerDay : ratio,
);
const fired: string[] = lake.alertHits().items.map(({ subject }) => subject);
fired.push(...lake.watches().map(({ subject }) => subject));
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

/** Text that exists in a checkout only: an installed text must not name it. */
const ONLY_IN_A_CHECKOUT = /npm run/;

/** A session of `trendlake mcp` by hand: one message, one response, and its end. */
const mcpSession = async (command: string, cwd: string): Promise<string> => {
  const child = spawn(command, ['mcp'], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const clientInfo = { name: 'proof', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  child.stdin.write(`${JSON.stringify(message)}\n`);
  let response = '';
  for await (const line of createInterface({ input: child.stdout })) {
    response = line;
    child.stdin.end();
  }
  const [code] = (await exited) as [number | null];
  if (code !== 0) throw new Error(`mcp ended with exit code ${code}`);
  return response;
};

const MOST_PACKED_BYTES = 1_000_000;
const MOST_INSTALLED_KIB = 100_000;

const checkSizes = (tarball: string): void => {
  const packed = statSync(tarball).size;
  const installed = Number.parseInt(run('du', ['-sk', 'node_modules'], project), 10);
  if (packed > MOST_PACKED_BYTES || installed > MOST_INSTALLED_KIB)
    throw new Error(`the package has ${packed} bytes, and ${installed} KiB installed`);
  done(`${packed} bytes packed, ${Math.round(installed / 1024)} MiB installed`);
};

/** The S3 client is an optional peer: without it, `publish` names it. */
const checkWithoutS3 = (command: string): void => {
  const script = 'TRENDLAKE_TABLES_URL=s3://a/b TRENDLAKE_LAKE=a "$0" publish 2>&1 || true';
  const message = run('sh', ['-c', script, command], project);
  if (!message.includes('npm install @aws-sdk/client-s3'))
    throw new Error(`publish without the S3 client printed ${message}`);
  done('publish names the missing S3 client');
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
  checkSizes(tarball);
  writeFileSync(join(project, 'consumer.ts'), CONSUMER);
  const page = readFileSync(join(ROOT, 'docs', 'guides/library.md'), 'utf8');
  const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  if (examples.length === 0) throw new Error('docs/guides/library.md has no examples');
  for (const [n, code] of examples.entries()) writeFileSync(join(project, `example-${n}.ts`), code);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  run(join(BIN, 'tsc'), ['-p', 'tsconfig.json'], project);
  done(`types of a consumer and of ${examples.length} examples, declarations checked`);

  const command = join(project, 'node_modules', '.bin', 'trendlake');
  const version = run(command, ['--version'], project);
  if (!/\([0-9a-f]{7}\)/.test(version)) throw new Error(`--version names no commit: ${version}`);
  run(command, ['sync'], project);
  const rows = run(command, ['query', 'select count(*) as n from videos', '--json'], project);
  if (!/"n": ?[1-9]/.test(rows)) throw new Error(`query after sync gave ${rows}`);
  run(command, ['report', '--out', 'report.html'], project);
  if (!readFileSync(join(project, 'report.html'), 'utf8').startsWith('<!doctype html>'))
    throw new Error('report wrote no page');
  for (const shell of ['bash', 'zsh', 'fish'])
    if (!run(command, ['completion', shell], project).includes('forecast'))
      throw new Error(`completion ${shell} does not know forecast`);
  const session = await mcpSession(command, project);
  if (!session.includes('"serverInfo"')) throw new Error(`mcp answered ${session}`);
  done(`the installed command ${version.trim()}: sync, query, report, completion, mcp`);

  checkWithoutS3(command);

  const answers = join(folder, 'answers');
  writeFileSync(answers, 'https://api.example.com/v1\ntl_live_of_this_proof\nbeta\ntiktok\n');
  const elsewhere = join(folder, 'set up');
  mkdirSync(elsewhere);
  run('sh', ['-c', `"$0" init --no-try < "$1"`, command, answers], elsewhere);
  const { mode } = statSync(join(elsewhere, 'trendlake.config.json'));
  if ((mode & 0o777) !== 0o600) throw new Error(`init wrote a file of mode ${mode.toString(8)}`);
  done('init writes a configuration that its user alone may read');

  const installed = join(project, 'node_modules', 'trendlake');
  const names = run(command, ['--help'], project).match(/^ {2}(\w+)(?= )/gm) ?? [];
  for (const name of names.map((word) => word.trim())) {
    const help = run(command, [name, '--help'], project);
    if (ONLY_IN_A_CHECKOUT.test(help))
      throw new Error(`${name} --help speaks of a checkout:\n${help}`);
    for (const [, page = ''] of help.matchAll(/docs\/([\w/-]+\.md)/g)) {
      const path = join(installed, 'docs', page);
      if (!help.includes(path) || !existsSync(path))
        throw new Error(`${name} --help names docs/${page}, not where it is here`);
    }
  }
  for (const path of [
    'dist/trendlake.1',
    'docs/guides/operating.md',
    'examples/README.md',
    'packaging/systemd/trendlake.service',
  ])
    if (!existsSync(join(installed, path))) throw new Error(`the package has no ${path}`);
  done(
    `texts of ${names.length} commands, the manual, examples and units of the installed package`,
  );

  const read = run(process.execPath, ['out/consumer.js'], project);
  if (!/"rank":1/.test(read)) throw new Error(`the consumer read ${read}`);
  done(`the consumer reads the lake (${read.trim()})`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
