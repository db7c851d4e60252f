import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { chooseEntry } from '../tools/choose-entry.ts';
import { PROOFS, type Proof } from './proofs.ts';

// Runs one proof, or all of them: what each promises is in docs/internals/promises.md. `--short` is what CI runs
// after `npm run check`: the same proofs in minutes instead of hours, two side by side.
//
//   npm run prove NAME [-- OPTIONS]
//   npm run prove NAME -- --short
//   npm run prove all
//   npm run prove -- --short

const ROOT = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
const isShort = args.includes('--short');
const [name, ...options] = args.filter((arg) => arg !== '--short');

/** Defaults give way to variables that are set; the values of the short form do not. */
const environmentOf = ({ defaults = {}, short = {} }: Proof): NodeJS.ProcessEnv => {
  const set = Object.entries(process.env).filter(([, value]) => value !== '');
  return { ...process.env, ...defaults, ...Object.fromEntries(set), ...(isShort ? short : {}) };
};

/** Output of failed proofs, printed last where several run side by side. */
const failures: string[] = [];

/** Runs a proof to its end. Its output is held back until then if several run side by side. */
const prove = async (proofName: string, proof: Proof, isHeldBack = false): Promise<string> => {
  const { tests, serial = false } = proof;
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const command =
    tests === undefined
      ? [join(import.meta.dirname, `${proofName}.ts`)]
      : [vitest, 'run', ...(serial ? ['--no-file-parallelism'] : []), ...tests];
  const child = spawn(process.execPath, [...command, ...options], {
    cwd: ROOT,
    stdio: isHeldBack ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...environmentOf(proof), ...(tests === undefined ? {} : { PROVE: '1' }) },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const printed = `\n${proofName}:\n${output.join('')}`;
  if (code !== 0) process.exitCode = code ?? 1;
  if (isHeldBack && code !== 0) failures.push(printed);
  else if (isHeldBack) process.stdout.write(printed);
  return code === 0 ? 'holds' : `FAILED (${signal ?? `exit code ${code}`})`;
};

const proveAll = async (): Promise<void> => {
  const chosen = Object.entries<Proof>(PROOFS).filter(([, { short }]) => !isShort || short);
  const outcomes: string[] = [];
  const waiting = chosen.values();
  const lane = async (): Promise<void> => {
    for (const [each, proof] of waiting) {
      const startedAt = performance.now();
      const outcome = await prove(each, proof, isShort);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      outcomes.push(`${each}: ${outcome}, ${seconds} s`);
    }
  };
  await Promise.all(Array.from({ length: isShort ? 2 : 1 }, lane));
  process.stdout.write(`${failures.join('')}${outcomes.join('\n')}\n`);
};

if (name === 'all' || (name === undefined && isShort)) await proveAll();
else {
  const all: Proof = { about: 'all of the proofs, one after another, in hours' };
  const proof = chooseEntry('prove', { ...PROOFS, all }, name);
  if (isShort && proof.short === undefined)
    throw new Error(`${name} has no short form. Run it without --short.`);
  await prove(name ?? '', proof);
}
