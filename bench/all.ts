import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  FIGURES_FILE,
  type Figure,
  goalText,
  measuredText,
  reaches,
  spreadText,
} from './all/figure.ts';
import { BENCHES } from './benches.ts';

// Every figure in one run: each bench in its own process, with sizes that fit, which ends with
// this one. The benches themselves pair and alternate. With --write the table goes into
// docs/internals/performance.md.
//
//   npm run bench all [-- --write] [-- --only sync-peer,export]

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, only: { type: 'string' } },
});
/** A bench with the options that fit into the whole. */
interface Bench {
  readonly name: string;
  readonly args: readonly string[];
}

/** The command that makes a bench's figures. */
const commandOf = ({ name, args }: Bench): string =>
  `npm run bench ${name}${args.length === 0 ? '' : ` -- ${args.join(' ')}`}`;

const benches = Object.entries(BENCHES).flatMap(([name, { inAll }]): Bench[] =>
  inAll === undefined ? [] : [{ name, args: inAll }],
);
const only = values.only?.split(',');
const unknown = only?.filter((name) => !benches.some((bench) => bench.name === name)) ?? [];
if (unknown.length > 0)
  throw new Error(
    `There is no bench called ${unknown.join(', ')}; there are ${benches.map(({ name }) => name).join(', ')}.`,
  );

interface Ended {
  readonly bench: Bench;
  readonly figures: readonly Figure[];
  /** The failure in words; undefined: it succeeded. */
  readonly failure: string | undefined;
  readonly seconds: number;
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-all-'));

const run = async (bench: Bench): Promise<Ended> => {
  const file = join(folder, bench.name);
  const from = performance.now();
  const script = join(import.meta.dirname, `${bench.name}.ts`);
  const child = spawn(process.execPath, [script, ...bench.args], {
    signal: stopping.signal,
    stdio: ['ignore', 2, 2], // what a bench prints itself is for whoever waits
    env: { ...process.env, [FIGURES_FILE]: file },
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return {
    bench,
    figures: lines.map((line) => JSON.parse(line) as Figure),
    failure: code === 0 ? undefined : (signal ?? `exit code ${code}`),
    seconds: (performance.now() - from) / 1000,
  };
};

/** A row with the command, then one for each figure. A missed goal is bold. */
const rowsOf = ({ bench, figures, failure }: Ended): string[] => [
  `\`${commandOf(bench)}\`${failure === undefined ? '' : `, failed: ${failure}`} | |`,
  ...figures.map((figure) => {
    const goal = reaches(figure) ? goalText(figure) : `**${goalText(figure)}**`;
    const spread = spreadText(figure);
    const measured = `${measuredText(figure)}${spread === '' ? '' : ` (${spread})`}`;
    return [figure.what, measured, goal].join(' | ');
  }),
];

const tableOf = (ended: readonly Ended[], minutes: number): string => {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return [
    `Measured ${new Date().toISOString().slice(0, 10)} on ${availableParallelism()} cores (${model}), Node ${process.versions.node}, in ${minutes.toFixed(1)} minutes by \`npm run bench all\`. Missed goals are bold.`,
    '',
    'what | measured (range) | goal',
    '---|---:|---:',
    ...ended.flatMap(rowsOf),
    '',
  ].join('\n');
};

const PAGE = join(import.meta.dirname, '..', 'docs', 'internals/performance.md');
const [BEGIN, END] = ['<!-- bench all -->\n', '<!-- end of bench all -->'];

const writePage = (table: string): void => {
  const page = readFileSync(PAGE, 'utf8');
  const [from, until] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || until < 0) throw new Error(`${PAGE} does not say where the table belongs.`);
  writeFileSync(PAGE, `${page.slice(0, from + BEGIN.length)}${table}${page.slice(until)}`);
};

try {
  const startedAt = performance.now();
  const ended: Ended[] = [];
  for (const bench of benches.filter(({ name }) => only?.includes(name) ?? true)) {
    console.error(`\n== ${commandOf(bench)}`);
    const end = await run(bench);
    console.error(`== ${bench.name}: ${end.failure ?? 'done'}, ${end.seconds.toFixed(0)} s`);
    ended.push(end);
  }
  const table = tableOf(ended, (performance.now() - startedAt) / 60_000);
  console.log(table);
  if (values.write) writePage(table);
  process.exitCode = ended.some(({ failure }) => failure !== undefined) ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
