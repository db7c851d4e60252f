import { resolve } from 'node:path';
import type { Command } from 'commander';
import { sendTo } from '../../alerts/notify/channel.ts';
import { messageOfHits } from '../../alerts/notify/message.ts';
import { statementRunner } from '../../alerts/rules/alert-rows.ts';
import {
  type Alert,
  listAlerts,
  type NewAlert,
  newestHits,
  removeAlert,
  requireAlert,
  saveAlert,
} from '../../alerts/rules/alert-store.ts';
import { type ReplayedNight, replayNights } from '../../alerts/rules/replay-nights.ts';
import { ALERT_TEMPLATES, templateSql } from '../../alerts/rules/templates.ts';
import { targetsIn } from '../../base/config/notify-targets.ts';
import { DAY_MS } from '../../base/durations.ts';
import { EXIT, UsageError } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { isoOf, isoOrNull, minuteOf } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { lakeToWrite, printFromLake } from '../context/lakes.ts';
import {
  repeatable,
  sinceOption,
  spanLike,
  targetOption,
  targetText,
  textFromFile,
  valued,
} from '../context/option-values.ts';
import { counted } from '../text/figures.ts';
import { cadenceText } from '../text/watch-text.ts';

const EXAMPLES = `
Examples:
  trendlake alerts add viral --template passes-views --set views=1000000
  trendlake alerts add acme-posts --template creator-posts --set tag=acme --to https://hooks.slack.com/services/...
  trendlake alerts add top3 --sql "select id as subject, title, rank as value from feed_now where rank <= 3"
  trendlake alerts test viral --since 30d
  trendlake alerts list

Templates:
${Object.entries(ALERT_TEMPLATES)
  .map(
    ([name, { summary, parameters }]) =>
      `  ${name.padEnd(16)} ${summary} (${Object.entries(parameters)
        .map(([key, value]) => `${key}=${value ?? 'required'}`.replace(/=$/, '='))
        .join(', ')})`,
  )
  .join('\n')}

Each row of the SELECT is an alert. The column subject is its key; title, url and value are shown.
Alerts are evaluated after each complete run: ${docsPage('guides/alerts.md')}.`;

const SHOWN_SUBJECTS = 3;

/** Nights in which rows fired, and how many nights there were. */
const nightsText = (name: string, nights: readonly ReplayedNight[], io: CliIo): string => {
  const shown = nights.filter(({ fired }) => fired.length > 0);
  const rows = nights.reduce((sum, { fired }) => sum + fired.length, 0);
  const sum = `${name} would have fired ${counted(rows, 'row')} in ${shown.length} of ${counted(nights.length, 'night')}.`;
  if (shown.length === 0) return sum;
  const table = io.tableOf(shown, {
    night: ({ at }) => minuteOf(at),
    fired: ({ fired }) => fired.length,
    subjects: ({ fired }) =>
      fired
        .slice(0, SHOWN_SUBJECTS)
        .map(({ subject }) => subject)
        .join(', ') + (fired.length > SHOWN_SUBJECTS ? ', …' : ''),
  });
  return `${table}\n${sum}`;
};

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
  for (const target of targets.filter((name) => name !== '')) {
    const failure = await sendTo(target, message, { clock, env, signal, publicUrl, lake });
    if (failure !== undefined) io.exitCode = EXIT.failed;
    io.err(
      failure === undefined
        ? `Sent to ${targetText(target)}.`
        : `Could not send to ${targetText(target)}: ${failure}.`,
    );
  }
};

const testAlert = async (
  name: string,
  { since, send }: { since?: number; send?: boolean },
  io: CliIo,
): Promise<void> => {
  const now = io.clock.now();
  using lake = lakeToWrite(io);
  const alert = requireAlert(lake, name);
  const run = statementRunner(lake.dataDir, io);
  const nights = await replayNights(lake, alert, { since: since ?? now - 30 * DAY_MS, now, run });
  if (send === true) await sendRows(lake, alert, io);
  const document = {
    name,
    nights: nights.length,
    fired: nights.flatMap(({ fired }) =>
      fired.map(({ at, subject, row }) => ({ at: isoOf(at), subject, row })),
    ),
    perNight: nights.map(({ at, fired }) => ({ at: isoOf(at), fired: fired.length })),
  };
  io.show(document, () => nightsText(name, nights, io));
};

/** Defines `alerts test`. */
const defineAlertTest = (command: Command, io: CliIo): void => {
  command
    .command('test <name>')
    .description('replay past nights and print what would have fired')
    .addOption(sinceOption(io, 'first night', '30d (default)'))
    .option('--send', 'send the rows of now to the targets of the alert')
    .option('--json', 'one object')
    .action((name: string, options) => testAlert(name, options, io));
};

interface AddOptions {
  readonly sql?: string;
  readonly file?: string;
  readonly template?: string;
  readonly set: string[];
  readonly to: string[];
  readonly cooldown: number;
}

const sqlFrom = ({ sql, file, template, set }: AddOptions, io: CliIo): string => {
  const given = [sql, file, template].filter((option) => option !== undefined);
  if (given.length !== 1)
    throw new UsageError(
      `Give one of --sql, --file and --template; ${given.length === 0 ? 'none was given' : `${given.length} were given`}.`,
    );
  if (template !== undefined) return templateSql(template, set);
  if (set.length > 0) throw new UsageError('--set fills in a template. Use it with --template.');
  if (sql !== undefined) return sql;
  return textFromFile(resolve(io.cwd, file ?? ''));
};

/** @throws UsageError for an invalid name or target */
const wishOf = (name: string, options: AddOptions, io: CliIo): NewAlert => {
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name))
    throw new UsageError(
      `The name must be 1 to 63 characters of a-z, 0-9, - and _; it is "${name}".`,
    );
  return {
    name,
    sql: sqlFrom(options, io),
    targets: options.to.map((text) => targetOption('--to', text)),
    cooldownMs: options.cooldown,
  };
};

/** An alert as `--json` prints it. */
const alertJson = (lake: Lake, { targets, createdAt, evaluatedAt, ...alert }: Alert) => {
  const [newest] = newestHits(lake, { name: alert.name, limit: 1 });
  return {
    ...alert,
    targets: targets.map(targetText),
    createdAt: isoOf(createdAt),
    evaluatedAt: isoOrNull(evaluatedAt),
    firedAt: isoOrNull(newest?.at ?? null),
  };
};
type AlertJson = ReturnType<typeof alertJson>;

const add = async (name: string, options: AddOptions, io: CliIo): Promise<void> => {
  const wish = wishOf(name, options, io);
  const { dataDir } = configOf(io);
  const now = io.clock.now();
  await printFromLake(
    io,
    async (lake) => {
      const rows = await statementRunner(dataDir, io)(wish.sql); // rejects a statement that fails
      saveAlert(lake, wish, now);
      return { ...alertJson(lake, requireAlert(lake, name)), rows: rows.size };
    },
    ({ rows, targets }) =>
      `Saved ${name}. It has ${counted(rows, 'row')} now and is evaluated after each complete run. Target: ${targets.join(', ') || 'TRENDLAKE_NOTIFY'}.`,
  );
};

const stateText = ({ failure, evaluatedAt }: AlertJson): string => {
  if (failure !== null) return `fails: ${failure}`;
  return evaluatedAt === null ? 'not evaluated yet' : 'ok';
};

const list = (io: CliIo): Promise<void> =>
  printFromLake(
    io,
    (lake) => listAlerts(lake).map((alert) => alertJson(lake, alert)),
    (alerts) =>
      io.tableOf(
        alerts,
        {
          name: ({ name }) => name,
          targets: ({ targets }) => targets.join(', ') || 'TRENDLAKE_NOTIFY',
          'cool-down': ({ cooldownMs }) => cadenceText(cooldownMs),
          'fired last': ({ firedAt }) =>
            firedAt === null ? 'never' : minuteOf(Date.parse(firedAt)),
          state: stateText,
        },
        { empty: `No alerts yet: ${commandText('alerts add NAME --template passes-views')}` },
      ),
  );

const remove = (name: string, io: CliIo): Promise<void> =>
  printFromLake(
    io,
    (lake) => {
      removeAlert(lake, name);
      return { name };
    },
    () => `Removed ${name}.`,
  );

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', EXAMPLES);
  command
    .command('add <name>')
    .description('save an alert; one of the same name is replaced')
    .option('--sql <select>', 'one SELECT; its rows are the alert')
    .option('--file <file>', 'read the SELECT from a file')
    .option('--template <name>', 'a ready SELECT; see the list below')
    .addOption(repeatable('--set <name=value>', 'parameter of the template; repeat for several'))
    .addOption(repeatable('--to <target>', 'default TRENDLAKE_NOTIFY; repeat for several'))
    .addOption(
      valued(
        '--cooldown <span>',
        'a row fires again after being away for this long',
        spanLike('12h, 24h or 7d'),
        '24h',
      ),
    )
    .option('--json', 'one object')
    .action((name: string, options: AddOptions) => add(name, options, io));
  command
    .command('list')
    .description('list alerts with their state')
    .option('--json', 'an array of objects')
    .action(() => list(io));
  defineAlertTest(command, io);
  command
    .command('remove <name>')
    .description('remove an alert and the rows that fired')
    .option('--json', 'one object')
    .action((name: string) => remove(name, io));
};
