import type { Command } from 'commander';
import { sendTo } from '../../alerts/notify/channel.ts';
import { statementRunner } from '../../alerts/rules/alert-rows.ts';
import { type Alert, type AlertRow, requireAlert } from '../../alerts/rules/alert-store.ts';
import { replayNights } from '../../alerts/rules/replay-nights.ts';
import { messageOfHits } from '../../alerts/rules/send-hits.ts';
import { secretsOf } from '../../alerts/webhooks/subscriptions.ts';
import { targetsIn } from '../../base/config/notify-targets.ts';
import { DAY_MS } from '../../base/durations.ts';
import { EXIT } from '../../base/errors.ts';
import { isoOf, minuteOf } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { printFromLake } from '../context/lakes.ts';
import { instantBefore, targetText, valued } from '../context/option-values.ts';
import { counted } from '../text/figures.ts';

/** Nights in which rows fired, and how many nights there were. */
const nightsText = (
  name: string,
  {
    nights,
    perNight,
    fired,
  }: { nights: number; perNight: readonly NightCount[]; fired: readonly Fired[] },
  io: CliIo,
): string => {
  const shown = perNight.filter((night) => night.fired > 0);
  const rows = shown.map(({ at, fired: count }) => [
    minuteOf(Date.parse(at)),
    count,
    fired
      .filter((hit) => hit.at === at)
      .slice(0, SHOWN_SUBJECTS)
      .map(({ subject }) => subject)
      .join(', ') + (count > SHOWN_SUBJECTS ? ', …' : ''),
  ]);
  const sum = `${name} would have fired ${counted(fired.length, 'row')} in ${shown.length} of ${counted(nights, 'night')}.`;
  return rows.length === 0 ? sum : `${io.table(['night', 'fired', 'subjects'], rows)}\n${sum}`;
};

interface NightCount {
  readonly at: string;
  readonly fired: number;
}
interface Fired {
  readonly at: string;
  readonly subject: string;
  readonly row: AlertRow;
}
const SHOWN_SUBJECTS = 3;

/** Sends the rows of now to the targets of an alert, at most as many as a digest. */
const sendRows = async (lake: Lake, alert: Alert, io: CliIo): Promise<void> => {
  const { dataDir, notify, publicUrl } = configOf(io);
  const { clock, env, signal } = io;
  const rows = await statementRunner(dataDir, io)(alert.sql);
  const now = clock.now();
  const hits = [...rows].map(([subject, row]) => ({ name: alert.name, subject, at: now, row }));
  const example = {
    name: alert.name,
    subject: 'test',
    at: now,
    row: { title: 'A test. No row is there now.' },
  };
  const message = messageOfHits(alert.name, hits.length === 0 ? [example] : hits, now);
  const targets = alert.targets.length > 0 ? alert.targets : targetsIn(notify?.reveal() ?? '');
  const secrets = secretsOf(lake);
  try {
    for (const target of targets.filter((name) => name !== '')) {
      const failure = await sendTo(target, message, { clock, env, signal, publicUrl, secrets });
      if (failure !== undefined) io.exitCode = EXIT.failed;
      io.err(
        failure === undefined
          ? `Sent to ${targetText(target)}.`
          : `Could not send to ${targetText(target)}: ${failure}.`,
      );
    }
  } finally {
    secrets.close();
  }
};

const testAlert = (
  name: string,
  options: { since?: number; send?: boolean },
  io: CliIo,
): Promise<void> => {
  const { dataDir } = configOf(io);
  const now = io.clock.now();
  const { since = now - 30 * DAY_MS } = options;
  return printFromLake(
    io,
    async (lake) => {
      const alert = requireAlert(lake, name);
      const run = statementRunner(dataDir, io);
      const nights = await replayNights(lake, alert, { since, now, run });
      if (options.send === true) await sendRows(lake, alert, io);
      return {
        name,
        nights: nights.length,
        fired: nights.flatMap((night) =>
          night.fired.map(({ at, subject, row }) => ({ at: isoOf(at), subject, row })),
        ),
        perNight: nights.map(({ at, fired }) => ({ at: isoOf(at), fired: fired.length })),
      };
    },
    (found) => nightsText(name, found, io),
  );
};

/** Defines `alerts test`. */
export const defineAlertTest = (command: Command, io: CliIo): void => {
  command
    .command('test <name>')
    .description('replay past nights and print what would have fired')
    .addOption(
      valued(
        '--since <instant>',
        'first night: ISO 8601, or a span such as 30d (default)',
        instantBefore(io),
      ),
    )
    .option('--send', 'send the rows of now to the targets of the alert')
    .option('--json', 'one object')
    .action((name: string, options) => testAlert(name, options, io));
};
