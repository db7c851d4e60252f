import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

// Every proof in turn, and how each ended; exit code 1 when one failed. `--short` is what CI runs
// after `npm run check`: minutes instead of hours, the same tests, two proofs side by side, since most
// use one core at a time; what one wrote is printed when it has ended.
//
//   npm run prove [-- --short] [-- --only kills,readers]

interface Proof {
  /** The script `prove:<name>`. */
  readonly name: string;
  /** Environment of its short form; undefined where it has none. */
  readonly short?: Readonly<Record<string, string>>;
}

const PROOFS: readonly Proof[] = [
  { name: 'kills', short: { PROVE_KILLS: '200', PROVE_INSTANTS: '200', PROVE_STOPS: '10' } },
  { name: 'fleet', short: { PROVE_FLEET_MINUTES: '3', PROVE_FLEET_SECONDS: '10' } },
  { name: 'readers', short: { PROVE_READS: '1000' } },
  { name: 'faults', short: { PROVE_FAULTS: '30' } },
  { name: 'tours', short: { PROVE_NIGHTS: '10' } },
  { name: 'draws', short: {} },
  { name: 'client', short: {} },
  { name: 'pages', short: {} },
  { name: 'package', short: {} },
  { name: 'image' },
  { name: 'security' },
  { name: 'pace' },
  {
    name: 'soak',
    short: { PROVE_SOAK_MINUTES: '1', PROVE_SOAK_RUNS: '20', PROVE_SOAK_REQUESTS: '60000' },
  },
  { name: 'tables' },
];

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const only = values.only?.split(',');
const unknown = only?.filter((name) => !PROOFS.some((proof) => proof.name === name)) ?? [];
if (unknown.length > 0)
  throw new Error(
    `There is no proof called ${unknown.join(', ')}; there are ${PROOFS.map(({ name }) => name).join(', ')}.`,
  );
const chosen = PROOFS.filter(
  ({ name, short }) => (only?.includes(name) ?? true) && (!values.short || short !== undefined),
);

const ended: string[] = [];
let failed = 0;
const prove = async ({ name, short }: Proof): Promise<void> => {
  const from = performance.now();
  const child = spawn('npm', ['run', '-s', `prove:${name}`], {
    stdio: values.short ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, ...(values.short ? short : {}) },
  });
  const written: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => written.push(text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (values.short) process.stdout.write(`\n${name}:\n${written.join('')}`);
  if (code !== 0) failed += 1;
  const outcome = code === 0 ? 'holds' : `FAILED (${signal ?? `exit code ${code}`})`;
  ended.push(`${name}: ${outcome}, ${Math.round((performance.now() - from) / 1000)} s`);
};

const waiting = chosen.values();
const lane = async (): Promise<void> => {
  for (const proof of waiting) await prove(proof);
};
await Promise.all(Array.from({ length: values.short ? 2 : 1 }, lane));
process.stdout.write(`${ended.join('\n')}\n`);
process.exitCode = failed === 0 ? 0 : 1;
