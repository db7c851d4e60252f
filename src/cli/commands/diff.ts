import type { Command } from 'commander';
import { PERIODS, type Platform } from '../../../schema/vocabulary.ts';
import { csvLine } from '../../base/csv.ts';
import { UsageError } from '../../base/errors.ts';
import { isoOf, minuteOf } from '../../base/iso.ts';
import { oneOf } from '../../base/text-values.ts';
import { diffLists, type ListDiff, listChanges } from '../../lake/lists/list-diff.ts';
import { listTitle } from '../../lake/lists/pulled-list.ts';
import type { CliIo } from '../context/io.ts';
import { lakeToRead } from '../context/lakes.ts';
import { instantBefore, platformOption, readValue, valued } from '../context/option-values.ts';
import { counted } from '../text/figures.ts';

const LISTS = ['feed', ...PERIODS] as const;
const SHOWN = 10;

const EXAMPLES = `
An instant is ISO 8601, or a span such as 24h or 7d that ends now; \`now\` is the newest pull.

Examples:
  trendlake diff 24h now                        what changed since yesterday, in every list
  trendlake diff 2026-03-01 2026-03-08 --list week --platform tiktok
  trendlake diff 7d now --csv > changes.csv`;

interface DiffOptions {
  readonly list?: (typeof LISTS)[number];
  readonly platform?: Platform;
  readonly csv?: boolean;
}

const GROUPS = ['entered', 'left', 'climbed', 'fell'] as const;

const document = (diffs: readonly ListDiff[], from: number, to: number) => ({
  from: isoOf(from),
  to: isoOf(to),
  lists: diffs.map((diff) => ({ ...diff, fromAt: isoOf(diff.fromAt), toAt: isoOf(diff.toAt) })),
});

const csvOf = (diffs: readonly ListDiff[]): string[] => [
  'list,platform,period,change,id,title,user,rank,previous_rank,previous_title,previous_user',
  ...listChanges(diffs).map((row) => {
    const { list, platform, period, change, id, title, user, rank } = row;
    const { previousRank, previousTitle, previousUser } = row;
    const now = [list, platform, period, change, id, title, user, rank];
    return csvLine([...now, previousRank, previousTitle, previousUser]);
  }),
];

const listName = (list: ListDiff): string => `${list.platform} ${listTitle(list)}`;

const printList = (diff: ListDiff, io: CliIo): void => {
  const { entered, left, climbed, fell, unchanged, renamed } = diff;
  io.out(
    `\n${listName(diff)}, ${minuteOf(diff.fromAt)} to ${minuteOf(diff.toAt)}: ${counted(entered.length, 'video')} entered, ${left.length} left, ${climbed.length} climbed, ${fell.length} fell, ${unchanged} unchanged`,
    'heading',
  );
  const moves = GROUPS.flatMap((change) =>
    diff[change].slice(0, SHOWN).map((video) => ({ change, ...video })),
  );
  if (moves.length > 0)
    io.out(
      io.tableOf(moves, {
        change: ({ change }) => change,
        rank: ({ rank }) => rank,
        before: ({ previousRank }) => previousRank,
        creator: ({ user }) => (user === null ? null : `@${user}`),
        title: ({ title }) => title,
        id: ({ id }) => id,
      }),
    );
  for (const { id, title, user, previousTitle, previousUser } of renamed.slice(0, SHOWN))
    io.out(
      `  ${id}: ${
        user === previousUser
          ? `new title "${title ?? ''}", before "${previousTitle ?? ''}"`
          : `@${previousUser ?? ''} is now @${user ?? ''}`
      }`,
    );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('<from>', 'start: ISO 8601, or a span such as 24h that ends now')
    .argument('<to>', 'end: the same, or now')
    .addOption(valued('--list <name>', LISTS.join(', '), oneOf(LISTS)))
    .addOption(platformOption())
    .option('--json', 'one JSON document')
    .option('--csv', 'one row per change')
    .addHelpText('after', EXAMPLES)
    .action((fromText: string, toText: string, options: DiffOptions) => {
      const now = io.clock.now();
      const from = readValue('FROM', instantBefore(io), fromText);
      const to = toText === 'now' ? now : readValue('TO', instantBefore(io), toText);
      if (from >= to)
        throw new UsageError(
          `FROM must be before TO. FROM is ${isoOf(from)} and TO is ${isoOf(to)}.`,
        );
      using lake = lakeToRead(io);
      const diffs = diffLists(lake, { from, to, list: options.list, platform: options.platform });
      if (io.isJson) io.json(document(diffs, from, to));
      else if (options.csv === true) for (const line of csvOf(diffs)) io.csv(line);
      else if (diffs.length === 0) io.out('No list was pulled by then.');
      else for (const diff of diffs) printList(diff, io);
    });
};
