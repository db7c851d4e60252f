import type { Command } from 'commander';
import type { Platform } from '../../../schema/vocabulary.ts';
import { withIso } from '../../base/iso.ts';
import { wholeNumber } from '../../base/text-values.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { searchVideos } from '../../lake/search/search.ts';
import type { CliIo } from '../context/io.ts';
import { lakeToRead } from '../context/lakes.ts';
import { platformOption, spanLike, valued } from '../context/option-values.ts';
import { grouped } from '../text/figures.ts';

const EXAMPLES = `
Examples:
  trendlake search dance challenge             both words, in titles, handles or hashtags
  trendlake search '"street food" -asmr'       a phrase, without a word
  trendlake search 'cook*' --platform tiktok --range 7d
  trendlake search 음식 --json | jq '.items[].id'

Words in Korean, Japanese, Chinese and Thai are found inside longer ones; others as written, with or
without accents. Best match first: words in the title, then handle and hashtags, together with reach.`;

const DEADLINE_MS = 10_000;

interface SearchOptions {
  platform?: Platform;
  range?: number;
  limit: number;
}

const videosOf = (lake: Lake, keys: readonly number[]) => {
  const read = prepare(
    lake.sqlite,
    'select id, platform, title, user, views, likes, created_at as createdAt from video where key = ?',
    {
      id: 'text',
      platform: 'text',
      title: 'text?',
      user: 'text?',
      views: 'number?',
      likes: 'number?',
      createdAt: 'number?',
    },
  );
  return keys.map((key) => withIso(required(read.get(key)), 'createdAt'));
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('<words...>', 'words, "phrases", prefix*, -without (put -- before a leading minus)')
    .addOption(platformOption())
    .addOption(
      valued(
        '--range <span>',
        'published within the last 24h, 7d, 4w ...',
        spanLike('24h, 7d or 4w, at most 366 days'),
      ),
    )
    .addOption(valued('--limit <n>', 'videos to show, 1 to 1000', wholeNumber(1, 1000), 20))
    .option('--json', 'one JSON document: total, complete, items')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], options: SearchOptions) => {
      const now = io.clock.now();
      const query = {
        q: words.join(' '),
        platform: options.platform,
        since: options.range === undefined ? undefined : now - options.range,
        limit: options.limit,
        page: 1,
        asOf: now,
        deadlineMs: DEADLINE_MS,
      };
      using lake = lakeToRead(io);
      const { total, keys, complete } = searchVideos(lake, query, io.clock);
      const items = videosOf(lake, keys);
      const more = complete ? '' : ' or more';
      const count = `${grouped(items.length)} of ${grouped(total)}${more} videos`;
      io.show({ total, complete, items }, () =>
        items.length === 0
          ? count
          : [
              io.tableOf(items, {
                id: ({ id }) => id,
                views: ({ views }) => views,
                created: ({ createdAt }) => createdAt?.slice(0, 10) ?? null,
                user: ({ user }) => user,
                title: ({ title }) => title,
              }),
              count,
            ],
      );
    });
};
