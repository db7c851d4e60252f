import type { Command } from 'commander';
import type { Platform } from '../../../schema/vocabulary.ts';
import { EXIT, messageOf } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { minuteOf } from '../../base/iso.ts';
import { resolveSubject } from '../../lake/watches/resolve-subject.ts';
import { callsOfAdded } from '../../lake/watches/watch-calls.ts';
import { parseSubject } from '../../lake/watches/watch-subject.ts';
import {
  listWatches,
  type NewWatch,
  pauseWatch,
  removeWatch,
  type Watch,
} from '../../lake/watches/watches.ts';
import { type CsvProblem, readWatchesCsv } from '../../lake/watches/watches-csv.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { lakeToRead, printFromLake } from '../context/lakes.ts';
import {
  instantBefore,
  platformOption,
  repeatable,
  textFromFile,
  valued,
} from '../context/option-values.ts';
import {
  everySpan,
  listJson,
  type SqliteLake,
  saveWatches,
  watchJson,
} from '../context/save-watches.ts';
import { grouped } from '../text/figures.ts';
import { cadenceText, priceText, watchedText } from '../text/watch-text.ts';

const EXAMPLES = `
Examples:
  trendlake watch add @maker --platform tiktok --every 6h --tag acme
  trendlake watch add https://www.youtube.com/shorts/dQw4w9WgXcQ --tag acme --until 2026-12-31
  trendlake watch add '#streetfood' --every 12h
  trendlake watch add "street food berlin" --every 1d
  trendlake watch import watches.csv --dry-run
  trendlake watch list --tag acme

The job watch requests what is due, hourly. TRENDLAKE_WATCH_SHARE limits its part of the month.
Formats and rules: ${docsPage('guides/watches.md')}.`;

const problemText = ({ line, problem }: CsvProblem): string => `line ${line}: ${problem}`;

/** `watch import`: adds the watches of a CSV file. */
const importWatches = async (
  file: string,
  options: { readonly dryRun?: boolean; readonly json?: boolean; readonly yes?: boolean },
  io: CliIo,
): Promise<void> => {
  const now = io.clock.now();
  const { watches, problems } = readWatchesCsv(textFromFile(file), now);
  const found: CsvProblem[] = [...problems];
  const ready = (lake: SqliteLake): NewWatch[] =>
    watches.flatMap(({ line, parsed, ...watch }) => {
      try {
        return [{ ...resolveSubject(lake, parsed), ...watch }];
      } catch (error) {
        found.push({ line, problem: messageOf(error) });
        return [];
      }
    });
  if (options.dryRun === true) {
    using lake = lakeToRead(io);
    const valid = ready(lake);
    const { after: calls } = callsOfAdded(lake, valid, { config: configOf(io), now });
    if (io.isJson) io.json({ watches: valid.length, callsPerMonth: calls, problems: found });
    else {
      for (const problem of found) io.err(problemText(problem));
      io.out(
        `${grouped(valid.length)} of ${grouped(watches.length + problems.length)} rows are valid, for ${grouped(calls)} calls a month. Nothing was saved (--dry-run).`,
      );
    }
  } else {
    const { isJson } = io;
    const saved = await saveWatches(io, ready, {
      isAsked: options.yes !== true && !isJson,
      show: (price) => {
        for (const problem of found) io.err(problemText(problem));
        if (!isJson) for (const line of priceText(price)) io.out(line);
      },
    });
    io.show(
      { watches: saved.map((each) => watchJson(each, configOf(io))), problems: found },
      () => `Saved ${grouped(saved.length)} of ${grouped(watches.length + problems.length)} rows.`,
    );
  }
  if (found.length > 0) io.exitCode = EXIT.partial;
};

interface AddOptions {
  readonly platform?: Platform;
  readonly search?: boolean;
  readonly every?: number;
  readonly tag: string[];
  readonly until?: number;
  readonly note?: string;
  readonly yes?: boolean;
}

const add = async (words: string[], options: AddOptions, io: CliIo): Promise<void> => {
  const config = configOf(io);
  const parsed = parseSubject(words.join(' '), {
    platform: options.platform ?? null,
    isSearch: options.search === true,
  });
  const watch = {
    everyMs: options.every ?? null,
    tags: options.tag,
    note: options.note ?? null,
    until: options.until ?? null,
  };
  const { isJson } = io;
  const [saved] = await saveWatches(io, (lake) => [{ ...resolveSubject(lake, parsed), ...watch }], {
    isAsked: options.yes !== true && !isJson,
    show: (price) => {
      if (!isJson) for (const line of priceText(price)) io.out(line);
    },
  });
  if (saved === undefined) return io.out('Nothing was saved.');
  io.show(
    watchJson(saved, config),
    () =>
      `Watching ${watchedText(saved)}${saved.platform === null ? '' : ` on ${saved.platform}`} as ${saved.id}, every ${cadenceText(saved.everyMs)}${saved.tags.length === 0 ? '' : `, tags ${saved.tags.join(', ')}`}.`,
  );
};

const stateText = (
  { pausedAt, pausedReason, until, nextAt }: ReturnType<typeof listJson>,
  now: number,
): string => {
  if (pausedAt !== null) return `paused${pausedReason === null ? '' : `: ${pausedReason}`}`;
  if (until !== null && Date.parse(until) <= now) return `ended ${minuteOf(Date.parse(until))}`;
  return Date.parse(nextAt) <= now ? 'due' : `next ${minuteOf(Date.parse(nextAt))}`;
};

const list = ({ tag }: { tag?: string }, io: CliIo): Promise<void> => {
  const config = configOf(io);
  const now = io.clock.now();
  return printFromLake(
    io,
    (lake) =>
      listWatches(lake, tag === undefined ? {} : { tag }).map((watch) => listJson(watch, config)),
    (watches) =>
      io.tableOf(
        watches,
        {
          id: ({ id }) => id,
          subject: watchedText,
          platform: ({ platform }) => platform ?? 'all',
          every: ({ everyMs }) => cadenceText(everyMs),
          tags: ({ tags }) => tags.join(', '),
          'calls a month': ({ callsPerMonth }) => callsPerMonth,
          'last seen': ({ lastAt }) => (lastAt === null ? 'never' : minuteOf(Date.parse(lastAt))),
          state: (watch) => stateText(watch, now),
        },
        { empty: `No watches yet: ${commandText('watch add @handle --platform tiktok')}` },
      ),
  );
};

/** `remove`, `pause` and `resume`. */
const defineChange = (
  io: CliIo,
  command: Command,
  done: string,
  change: (lake: SqliteLake, id: string) => Watch,
): void => {
  command.option('--json', 'one object').action((id: string) =>
    printFromLake(
      io,
      (lake) => listJson(change(lake, id), configOf(io)),
      (watch) => `${done} ${watchedText(watch)} (${id}).`,
    ),
  );
};

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', EXAMPLES);
  command
    .command('add <subject...>')
    .description('follow a creator, video, hashtag or search; prints the price first')
    .addOption(platformOption())
    .option('--search', 'the subject is words to search for')
    .addOption(
      valued(
        '--every <span>',
        'longest time between two requests (default: 1d, or as before)',
        everySpan,
      ),
    )
    .addOption(repeatable('--tag <tag>', 'client or campaign; repeat for several'))
    .addOption(valued('--until <date>', 'end of the watch: ISO 8601', instantBefore(io)))
    .option('--note <text>', 'a note for people')
    .option('--yes', 'save without asking')
    .option('--json', 'one object')
    .action((words: string[], options: AddOptions) => add(words, options, io));
  command
    .command('list')
    .description('list watches with their price and state')
    .option('--tag <tag>', 'of this tag only')
    .option('--json', 'an array of objects')
    .action((options: { tag?: string }) => list(options, io));
  command
    .command('import <file>')
    .description('add watches from a CSV file with a header row')
    .option('--dry-run', 'check the file and print the price; save nothing')
    .option('--yes', 'save without asking')
    .option('--json', 'one object: watches and problems')
    .action((file: string, options) => importWatches(file, options, io));
  defineChange(
    io,
    command.command('remove <id>').description('remove a watch with its tags and search results'),
    'Removed',
    removeWatch,
  );
  defineChange(
    io,
    command.command('pause <id>').description('stop requesting a watch until it is resumed'),
    'Paused',
    (lake, id) => pauseWatch(lake, id, { pausedAt: io.clock.now() }),
  );
  defineChange(
    io,
    command.command('resume <id>').description('request a paused watch again'),
    'Resumed',
    (lake, id) => pauseWatch(lake, id, { pausedAt: null }),
  );
};
