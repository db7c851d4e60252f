import { JOBS } from '../../../jobs/all-jobs.ts';
import { isoOf, isoOrNull } from '../../base/iso.ts';
import { openLake } from '../../lake/open.ts';
import { type platformsOfHandle, resolveSubject } from '../../lake/watches/resolve-subject.ts';
import { callsOfAdded, callsPerMonth } from '../../lake/watches/watch-calls.ts';
import { parseSubject } from '../../lake/watches/watch-subject.ts';
import { addWatch, type NewWatch, type Watch } from '../../lake/watches/watches.ts';
import { type WatchPrice, watchPrice } from '../../run/plan/watch-price.ts';
import type { AssistantWatch } from '../../serve/mcp/watch-tool.ts';
import { priceText } from '../text/watch-text.ts';
import { type CliIo, configOf } from './io.ts';
import { openLedgers } from './ledgers.ts';
import { readValue, spanLike } from './option-values.ts';
import { isNotRefused } from './questions.ts';

/** Adds a watch as `watch add` does, without a question: the assistant asks its user. */
export const assistantWatch =
  (io: CliIo): AssistantWatch =>
  async ({ subject, platform, every, tags, save }) => {
    const parsed = parseSubject(subject, { platform: platform ?? null });
    const everyMs = every === undefined ? null : readValue('--every', everySpan, every);
    const watch = { everyMs, tags, note: null, until: null };
    let price = '';
    const [saved] = await saveWatches(
      io,
      (lake) => [{ ...resolveSubject(lake, parsed), ...watch }],
      {
        isAsked: false,
        isDry: !save,
        show: (each) => {
          price = priceText(each).join(' ');
        },
      },
    );
    return { saved: saved !== undefined, id: saved?.id ?? null, price };
  };

/** Reads `--every` as ms. */
export const everySpan = spanLike('1h, 6h, 1d or 2w');

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
  await using ledgers = await openLedgers(config, io.clock);
  using lake = openLake(config.dataDir, { report: io.err });
  const watches = wanted(lake);
  const calls = callsOfAdded(lake, watches, { config, now });
  show(await watchPrice(lake, { config, jobs: JOBS, calls }, { ledgers, now }));
  if (isDry || (isAsked && !(await isNotRefused(io, 'Save?')))) return [];
  return watches.map((watch) => addWatch(lake, watch, now));
};
