import { parseArgs } from 'node:util';
import { realFolder } from '../fixtures/real-data.ts';
import { systemClock } from '../src/base/clock.ts';
import { textTable } from '../src/cli/text/text-table.ts';
import { chooseMillion } from './budget/choose-million.ts';
import { measure, type Report } from './budget/measure.ts';
import { realReplays } from './budget/real-replays.ts';
import { worldReplay } from './budget/world-replay.ts';

// The value of a call under each policy: each spends the same calls on the same curves; what the lake
// then knows is compared with the truth. Real curves are read from `--from` when they are there.
//
//   npm run -s bench budget [-- --from PATH] [--json] [--quick] [--seed 1]

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: realFolder },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});

const percent = (share: number | undefined): string =>
  share === undefined ? '-' : `${(100 * share).toFixed(1)} %`;

const tableOf = (report: Report): string => {
  const head = [
    'policy',
    'error',
    'x round robin',
    'x ours',
    'x bound',
    '1 h',
    '6 h',
    '24 h',
    'calls',
  ];
  const rows = report.policies.map((row) => [
    row.policy,
    percent(row.error),
    row.againstRoundRobin.toFixed(2),
    row.overOurs.toFixed(2),
    (row.error / report.lowerBound).toFixed(2),
    ...row.spikes.map(percent),
    row.calls,
  ]);
  const { source, videos, teachingCurves, spikes, callsPerDay, lowerBound } = report;
  return `${source}: ${videos} videos, ${callsPerDay.toFixed(0)} calls a day, ${spikes} spikes, taught by ${teachingCurves} other curves, lower bound ${percent(lowerBound)}\n${textTable(head, rows, { columns: undefined, figures: head.slice(1) })}`;
};

const rounds = values.quick ? 12 : 24;
const world = worldReplay({
  videos: 20_000,
  days: 30,
  callsPerDay: 800,
  seed: Number(values.seed),
  share: values.quick ? 0.2 : 1,
});
const choosing = chooseMillion(world.teach, systemClock);
const reports = [...realReplays(values.from), world].map((replay) => {
  const report = measure(replay, rounds);
  if (!values.json) console.log(`${tableOf(report)}\n`);
  return report;
});
if (values.json) console.log(JSON.stringify({ reports, choosing }, null, 2));
else
  console.log(
    `Choosing ${choosing.calls} calls among ${choosing.videos} videos: ${choosing.chooseMs} ms (${choosing.chooseCpuMs} ms of processor time), ${choosing.addedMb} MB beyond the input (the growth models before it: ${choosing.modelMs} ms).`,
  );
