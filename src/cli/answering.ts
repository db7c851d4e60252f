import { type Lake, openLake } from '../lake/open.ts';
import { type CliIo, configOf } from './io.ts';
import { type Cell, textTable } from './text/text-table.ts';

/** What a command was given, by the name of the option. */
export type Options = Readonly<Record<string, string | number | boolean | undefined>>;

/** A table, or where it would be empty, what to say instead. */
export const tableOr = (
  nothing: string,
  head: string[],
  rows: Cell[][],
  { columns }: CliIo,
): string => (rows.length === 0 ? nothing : textTable(head, rows, { columns }));

/** Runs `work` on the lake and prints its response: as one JSON document, or as words. */
export const answering = async (
  io: CliIo,
  options: Options,
  work: (lake: Lake) => unknown,
  words: (answer: never) => string,
): Promise<void> => {
  const lake = openLake(configOf(io).dataDir, { tell: io.err });
  try {
    const answer = await work(lake);
    if (options.json === true) io.json(answer);
    else io.out(words(answer as never));
  } finally {
    lake.close();
  }
};
