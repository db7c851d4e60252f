import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

// Installs the tarball of this folder into an empty project and uses the command, on any system and Node
// line. Plain JavaScript, because Node 22 and a machine without the checkout run it.
//
//   npm pack && node tools/try-installed.mjs

const isWindows = process.platform === 'win32';
const SLOWEST_START_MS = 3000;
const folder = mkdtempSync(join(tmpdir(), 'trendlake installed '));
const project = join(folder, 'empty project');
const bin = join(project, 'node_modules', 'trendlake', 'dist', 'src', 'cli', 'bin.js');
const env = { ...process.env, TRENDLAKE_GROWTH_CALLS: '5', TRENDLAKE_CREATOR_CALLS: '2' };

/** @type {(program: string, args: readonly string[], options?: { shell?: boolean }) => string} */
const run = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: project, env, encoding: 'utf8', ...options });
/** @type {(args: readonly string[]) => string} */
const npm = (args) => run(isWindows ? 'npm.cmd' : 'npm', args, { shell: isWindows });
/** @type {(...args: string[]) => string} */
const trendlake = (...args) => run(process.execPath, [bin, ...args]);
/** @type {(text: string) => void} */
const done = (text) => void process.stdout.write(`${text}: good\n`);
/** @type {(text: string) => never} */
const fail = (text) => {
  throw new Error(text);
};

const serveOnce = async () => {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--json'], {
    ...{ cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  const exited = new Promise((resolveExit) => child.once('exit', resolveExit));
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { dashboard } = JSON.parse(line);
      const { status } = await fetch(new URL('/health', dashboard));
      if (status !== 200) fail(`/health answered ${status}`);
      break;
    }
  } finally {
    child.kill();
    await exited;
  }
};

try {
  const tarball = readdirSync('.').find((name) => /^trendlake-.*\.tgz$/.test(name));
  if (tarball === undefined)
    throw new Error('There is no trendlake-*.tgz in this folder. Run `npm pack`.');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n');
  writeFileSync(join(project, '.npmrc'), 'audit=false\nfund=false\n');
  const path = resolve(tarball);
  npm(['install', isWindows ? `"${path}"` : path]);
  const started = performance.now();
  const version = trendlake('--version').trim();
  const startMs = Math.round(performance.now() - started);
  if (startMs > SLOWEST_START_MS) fail(`the first start took ${startMs} ms`);
  done(
    `Node ${process.version} on ${process.platform} ${process.arch}: ${version} in ${startMs} ms`,
  );
  npm(['exec', '--offline', '--', 'trendlake', 'demo', '--nights', '1']);
  done('npx trendlake demo');
  trendlake('export', '--full');
  const rows = trendlake('query', 'select count(*) as n from videos', '--csv');
  if (!/^n\r?\n[1-9]/.test(rows)) fail(`query printed ${rows}`);
  done('query, export');
  await serveOnce();
  done('serve');
  trendlake('sync', '--data-dir', 'second');
  done('sync');
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
