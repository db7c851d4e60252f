import type { Command } from 'commander';
import { csvLine } from '../../base/csv.ts';
import { UsageError } from '../../base/errors.ts';
import { dateOf } from '../../base/iso.ts';
import type { RouteUse } from '../../lake/keys/limits.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { openKeys } from '../context/key-store.ts';
import { grouped } from '../text/figures.ts';

interface Options {
  readonly month?: string;
  readonly csv?: boolean;
}

const monthOf = (text: string | undefined, now: number): string => {
  const month = text ?? dateOf(now).slice(0, 7);
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return month;
  throw new UsageError(`--month must be a month such as 2026-11; it is "${month}".`);
};

const asTable = (uses: readonly RouteUse[], month: string, io: CliIo): string => {
  if (uses.length === 0) return `No key was used in ${month} (UTC).`;
  const total = uses.reduce((sum, { calls }) => sum + calls, 0);
  const table = io.tableOf(uses, {
    key: ({ key }) => key,
    'use case': ({ useCase }) => useCase,
    day: ({ day }) => day,
    route: ({ route }) => route,
    calls: ({ calls }) => calls,
    refused: ({ refused }) => refused,
  });
  return `${table}\n${grouped(total)} calls in ${month} (UTC).`;
};

/** `keys usage`: calls of each key in a month, by day and route, for billing. */
export const defineUsage = (command: Command, io: CliIo): void => {
  command
    .command('usage')
    .description('calls of a month by key, day (UTC) and route, including refused ones (429)')
    .option('--month <YYYY-MM>', 'month to show; default this one')
    .option('--csv', 'RFC 4180 with a header')
    .option('--json', 'print an array')
    .action(async (options: Options) => {
      const month = monthOf(options.month, io.clock.now());
      await using keys = await openKeys(configOf(io), io.clock);
      const uses = await keys.usageOfMonth(month);
      if (options.csv !== true || io.isJson)
        return io.show(uses, () => asTable(uses, month, io), 0);
      io.csv('key,use_case,day,route,calls,refused');
      for (const { key, useCase, day, route, calls, refused } of uses)
        io.csv(csvLine([key, useCase, day, route, calls, refused]));
    });
};
