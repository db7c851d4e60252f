import type { Command } from 'commander';
import { type DetectOptions, detectEvents } from '../../alerts/events/detect.ts';
import { storableEvent } from '../../alerts/events/outbox.ts';
import { readThresholds } from '../../alerts/events/thresholds.ts';
import { DAY_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { dateOf, isoOf, isoOrNull } from '../../base/iso.ts';
import {
  ALL_NOTICED,
  eventsPage,
  eventsSince,
  type ShownEvent,
  shownEvent,
} from '../../lake/lists/event-list.ts';
import { type Lake, openLakeForReading } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { eventSentence } from '../../lake/read/event-sentence.ts';
import { subjectName } from '../../lake/read/subject-name.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { instantBefore, sinceOption, valued } from '../context/option-values.ts';
import { counted, grouped } from '../text/figures.ts';

/** Rows of the table at most; `--json` prints all. */
const SHOWN = 200;

const HELP = `
The table has the last ${SHOWN}; --json has all.

Examples:
  trendlake events                                     events of the last 7 days
  trendlake events --since 24h --json
  trendlake events --dry-run --from 2026-03-01 --to 2026-03-08
                                                       events of that week; stores nothing

The rules and their numbers: ${docsPage('guides/events.md')}.`;

interface Options {
  readonly since?: number;
  readonly dryRun?: boolean;
  readonly from?: number;
  readonly to?: number;
  readonly tag?: string;
}

/** A stored event, or one that a dry run detected (`detectedAt` null). */
type AnyEvent = Omit<ShownEvent, 'detectedAt'> & { readonly detectedAt: string | null };

/** Runs the rules over a span. Slow in a large lake. */
const tryRules = (lake: Lake, wanted: DetectOptions, io: CliIo): AnyEvent[] => {
  io.progress(`events: trying the rules from ${dateOf(wanted.from)} to ${dateOf(wanted.to)}`);
  const detectedAt = prepare(lake.sqlite, 'select detected_at from events where id = ?', 'number');
  return detectEvents(lake, wanted)
    .map(storableEvent)
    .map((event) => ({
      ...event,
      occurredAt: isoOf(event.occurredAt),
      detectedAt: isoOrNull(detectedAt.get(event.id) ?? null),
    }));
};

const eventTable = (lake: Lake, events: readonly AnyEvent[], io: CliIo): string =>
  io.tableOf(
    events,
    {
      occurred: ({ occurredAt }) => occurredAt.slice(0, 16).replace('T', ' '),
      kind: ({ kind }) => kind,
      platform: ({ platform }) => platform ?? 'all',
      subject: ({ subject }) => subjectName(lake, subject),
      why: ({ kind, data }) => eventSentence(kind, data),
    },
    { wrapped: 'why' },
  );

const printTable = (
  lake: Lake,
  { total, items }: { readonly total: number; readonly items: readonly AnyEvent[] },
  earlier: string,
  io: CliIo,
): void => {
  if (items.length > 0) io.out(eventTable(lake, items, io));
  const shown = items.length < total ? `${grouped(items.length)} of ` : '';
  const others = shown === '' ? '' : '; --json lists all';
  io.out(`${shown}${counted(total, 'event')}${earlier}${others}`);
};

/** Command that lists events before `since`: a first sync detects old ones. */
const earlierText = (lake: Lake, since: number): string => {
  const { earlier, first } = required(
    prepare(
      lake.sqlite,
      'select count(*) as earlier, min(occurred_at) as first from events where occurred_at < ?',
      { earlier: 'number', first: 'number?' },
    ).get(since),
  );
  return first === null
    ? ''
    : ` since ${dateOf(since)}; ${grouped(earlier)} before: ${commandText(`events --since ${dateOf(first)}`)}`;
};

export const define = (command: Command, io: CliIo): void => {
  const instant = instantBefore(io);
  command
    .addOption(sinceOption(io, 'events since', '24h; default 7d'))
    .option('--tag <tag>', 'events of subjects that a watch of this tag covers')
    .option('--dry-run', 'run the rules over the history of --from to --to; stores nothing')
    .addOption(valued('--from <instant>', 'start of the dry run', instant))
    .addOption(valued('--to <instant>', 'end of the dry run; default now', instant))
    .option('--json', 'an array of objects')
    .addHelpText('after', HELP)
    .action((options: Options) => {
      const now = io.clock.now();
      if (options.dryRun !== true && (options.from ?? options.to) !== undefined)
        throw new UsageError('--from and --to belong to --dry-run; for stored events use --since.');
      const { dataDir, eventThresholds } = configOf(io);
      const thresholds = readThresholds(eventThresholds);
      using lake = openLakeForReading(dataDir);
      if (options.dryRun === true) {
        const { from = now - 7 * DAY_MS, to = now } = options;
        const events = tryRules(lake, { from, to, thresholds }, io);
        if (io.isJson) return io.jsonArray(events);
        return printTable(lake, { total: events.length, items: events.slice(-SHOWN) }, '', io);
      }
      const { since = now - 7 * DAY_MS } = options;
      if (io.isJson) return io.jsonArray(eventsSince(lake, since, options.tag));
      const newest = { since, tag: options.tag, asOf: ALL_NOTICED, limit: SHOWN, page: 1 };
      const { total, items } = eventsPage(lake, newest);
      const shown = items.reverse().map(shownEvent);
      printTable(lake, { total, items: shown }, earlierText(lake, since), io);
    });
};
