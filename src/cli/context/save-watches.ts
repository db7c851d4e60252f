import { JOBS } from '../../../jobs/all-jobs.ts';
import { rangeMs } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { isoOf, isoOrNull } from '../../base/iso.ts';
import { openLake } from '../../lake/open.ts';
import type { platformsOfHandle } from '../../lake/watches/resolve-subject.ts';
import { callsOfAdded, callsPerMonth } from '../../lake/watches/watch-calls.ts';
import { addWatch, type NewWatch, type Watch } from '../../lake/watches/watches.ts';
import { type WatchPrice, watchPrice } from '../../run/plan/watch-price.ts';
import { type CliIo, configOf } from './io.ts';
import { openLedgers } from './ledgers.ts';
import { Questions } from './questions.ts';

/** @throws UsageError if it is not a span */
export const everyOption = (text: string): number => {
  const everyMs = rangeMs(text);
  if (everyMs === undefined)
    throw new UsageError(`--every must be a span such as 1h, 6h, 1d or 2w. It is "${text}".`);
  return everyMs;
};

export type SqliteLake = Parameters<typeof platformsOfHandle>[0];

/** A watch as `--json` prints it. */
export const watchJson = (watch: Watch, config: { readonly listItems: number }) => ({
  id: watch.id,
  kind: watch.kind,
  platform: watch.platform,
  subject: watch.subject,
  everyMs: watch.everyMs,
  tags: watch.tags,
  callsPerMonth: callsPerMonth(watch, config),
});

/** A watch of a list as `--json` prints it. */
export const listJson = (watch: Watch, config: { readonly listItems: number }) => ({
  ...watchJson(watch, config),
  lastAt: isoOrNull(watch.lastAt),
  nextAt: isoOf(watch.nextAt),
  pausedAt: isoOrNull(watch.pausedAt),
  pausedReason: watch.pausedReason,
  until: isoOrNull(watch.until),
  note: watch.note,
});

/** True unless somebody at a terminal says no. */
const isConfirmed = async (io: CliIo, question: string): Promise<boolean> => {
  if (io.input?.isTTY !== true) return true;
  using questions = new Questions(io);
  return !/^n/i.test(await questions.ask(`${question} [Y/n]`));
};

/** Prints the price of watches, asks, and saves them. With `isDry` it saves nothing. */
export const saveWatches = async (
  io: CliIo,
  wanted: (lake: SqliteLake) => readonly NewWatch[],
  {
    isAsked,
    isDry = false,
    show,
  }: { isAsked: boolean; isDry?: boolean; show(price: WatchPrice): void },
): Promise<Watch[]> => {
  const config = configOf(io);
  const now = io.clock.now();
  const { ledgers, close } = await openLedgers(config, io.clock);
  try {
    using lake = openLake(config.dataDir, { report: io.err });
    const watches = wanted(lake);
    const calls = callsOfAdded(lake, watches, { config, now });
    show(await watchPrice(lake, { config, jobs: JOBS, calls }, { ledgers, now }));
    if (isDry || (isAsked && !(await isConfirmed(io, 'Save?')))) return [];
    return watches.map((watch) => addWatch(lake, watch, now));
  } finally {
    await close();
  }
};
