import type { Command } from 'commander';
import type { Platform } from '../../../schema/vocabulary.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { minuteOf } from '../../base/iso.ts';
import { resolveSubject } from '../../lake/watches/resolve-subject.ts';
import { parseSubject } from '../../lake/watches/watch-subject.ts';
import { listWatches, pauseWatch, removeWatch, type Watch } from '../../lake/watches/watches.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { printFromLake } from '../context/lakes.ts';
import { instantBefore, platformOption, repeatable, valued } from '../context/option-values.ts';
import {
  everySpan,
  listJson,
  type SqliteLake,
  saveWatches,
  watchJson,
} from '../context/save-watches.ts';
import { cadenceText, priceText, watchedText } from '../text/watch-text.ts';
import { importWatches } from './watch-import.ts';

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
  const isJson = io.isJson;
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
  command: Command,
  io: CliIo,
  {
    name,
    summary,
    done,
    change,
  }: {
    name: string;
    summary: string;
    done: string;
    change(lake: SqliteLake, id: string): Watch;
  },
): void => {
  command
    .command(`${name} <id>`)
    .description(summary)
    .option('--json', 'one object')
    .action((id: string) =>
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
  defineChange(command, io, {
    name: 'remove',
    summary: 'remove a watch with its tags and search results',
    done: 'Removed',
    change: removeWatch,
  });
  defineChange(command, io, {
    name: 'pause',
    summary: 'stop requesting a watch until it is resumed',
    done: 'Paused',
    change: (lake, id) => pauseWatch(lake, id, { pausedAt: io.clock.now() }),
  });
  defineChange(command, io, {
    name: 'resume',
    summary: 'request a paused watch again',
    done: 'Resumed',
    change: (lake, id) => pauseWatch(lake, id, { pausedAt: null }),
  });
};
