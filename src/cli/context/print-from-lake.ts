import { type Lake, openLake } from '../../lake/open.ts';
import { type Cell, textTable } from '../text/text-table.ts';
import { type CliIo, configOf } from './io.ts';

/** Option values by name. */
export type Options = Readonly<Record<string, string | number | boolean | undefined>>;

/** A table, or a sentence if it would be empty. */
export const tableOr = (
  nothing: string,
  head: string[],
  rows: Cell[][],
  { columns }: CliIo,
): string => (rows.length === 0 ? nothing : textTable(head, rows, { columns }));

/** Runs `work` on the lake and prints the result as JSON or through `words`. */
export const printFromLake = async <Found>(
  io: CliIo,
  options: Options,
  work: (lake: Lake) => Found | Promise<Found>,
  words: (found: Found) => string,
): Promise<void> => {
  using lake = openLake(configOf(io).dataDir, { report: io.err });
  const found = await work(lake);
  if (options.json === true) io.json(found);
  else io.out(words(found));
};
