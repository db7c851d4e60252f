import type { Command } from 'commander';
import type { Platform } from '../../../schema/vocabulary.ts';
import { csvLine } from '../../base/csv.ts';
import { DAY_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { dateOf, isoOf } from '../../base/iso.ts';
import {
  COMPARED_LINES,
  type ComparedCreator,
  MOST_COMPARED,
} from '../../lake/read/compare-creators.ts';
import { compareNamed } from '../../lake/watches/resolve-subject.ts';
import type { CliIo } from '../context/io.ts';
import { lakeToRead } from '../context/lakes.ts';
import { platformOption, sinceOption } from '../context/option-values.ts';
import { grouped } from '../text/figures.ts';

const EXAMPLES = `
Figures are of videos in the lake that were published since --since. Follow creators with
\`watch add\` so that the lake knows all their videos.

Examples:
  trendlake compare @maker @cook --platform tiktok
  trendlake compare @maker https://www.youtube.com/@cook --since 90d --csv`;

interface CompareOptions {
  readonly platform?: Platform;
  readonly since?: number;
  readonly csv?: boolean;
}

const shown = (value: number | string | null): string =>
  value === null || value === '' ? '-' : typeof value === 'number' ? grouped(value) : value;

const print = (creators: readonly ComparedCreator[], since: number, io: CliIo): void => {
  const heads = creators.map(({ handle, platform }) => `@${handle} (${platform})`);
  io.out(`Videos published since ${dateOf(since)}`, 'heading');
  io.out(
    io.table(
      ['', ...heads],
      COMPARED_LINES.map(({ label, of }) => [
        label,
        ...creators.map((creator) => shown(of(creator))),
      ]),
      { figures: heads },
    ),
  );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('<creators...>', `handles or addresses of 2 to ${MOST_COMPARED} creators`)
    .addOption(platformOption())
    .addOption(sinceOption(io, 'videos published since', '90d (default)'))
    .option('--json', 'one JSON document')
    .option('--csv', 'one row per creator')
    .addHelpText('after', EXAMPLES)
    .action((names: string[], options: CompareOptions) => {
      const now = io.clock.now();
      const { since = now - 90 * DAY_MS } = options;
      if (names.length < 2 || names.length > MOST_COMPARED)
        throw new UsageError(
          `compare takes 2 to ${MOST_COMPARED} creators. ${names.length} are given.`,
        );
      using lake = lakeToRead(io);
      const platform = options.platform ?? null;
      const creators = compareNamed(lake, names, { platform, since, at: now });
      if (io.isJson)
        io.json({
          since: isoOf(since),
          creators: creators.map(({ growth, followersGainedSince: gainedAt, ...creator }) => ({
            ...creator,
            followersGainedSince: gainedAt === null ? null : isoOf(gainedAt),
            growth: growth.map((point) => ({ ...point, at: isoOf(point.at) })),
          })),
        });
      else if (options.csv === true) {
        io.csv(csvLine(['platform', 'handle', ...COMPARED_LINES.map(({ label }) => label)]));
        for (const creator of creators)
          io.csv(
            csvLine([
              creator.platform,
              creator.handle,
              ...COMPARED_LINES.map(({ of }) => of(creator)),
            ]),
          );
      } else print(creators, since, io);
    });
};
