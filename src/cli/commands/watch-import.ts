import { readFileSync } from 'node:fs';
import { messageOf, UsageError } from '../../base/errors.ts';
import { resolveSubject } from '../../lake/watches/resolve-subject.ts';
import { callsOfAdded } from '../../lake/watches/watch-calls.ts';
import type { NewWatch } from '../../lake/watches/watches.ts';
import { type CsvProblem, readWatchesCsv } from '../../lake/watches/watches-csv.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { lakeToRead } from '../context/lakes.ts';
import { type SqliteLake, saveWatches, watchJson } from '../context/save-watches.ts';
import { grouped } from '../text/figures.ts';
import { priceText } from '../text/watch-text.ts';

const problemText = ({ line, problem }: CsvProblem): string => `line ${line}: ${problem}`;

/** `watch import`: adds the watches of a CSV file. */
export const importWatches = async (
  file: string,
  options: { readonly dryRun?: boolean; readonly json?: boolean; readonly yes?: boolean },
  io: CliIo,
): Promise<void> => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}.`);
  }
  const now = io.clock.now();
  const { watches, problems } = readWatchesCsv(text, now);
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
    const isJson = io.isJson;
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
  if (found.length > 0) io.exitCode = 3;
};
