import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { ManifestTotals } from '../../output/parquet/manifest.ts';
import type { CountedKey } from '../../upstream/throttle/counted-key.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import type { CallCount } from './call-tally.ts';
import type { Tallies } from './tallies.ts';

export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** `key` is undefined if there is only one. */
export interface KeyedMonth {
  readonly key: CountedKey | undefined;
  readonly month: MonthState | null;
}

/** Data of a scrape. `now` is Unix ms. */
export interface Scraped {
  readonly lake: Lake;
  readonly now: number;
  /** Per key; null if the shared ledger did not answer. */
  readonly months: readonly KeyedMonth[];
  /** False if a shared ledger counts the calls of several machines. */
  readonly countsItself: boolean;
  readonly tallies: Tallies;
  readonly calls: readonly CallCount[];
  /** Calls without an outcome. */
  readonly unsettled: number;
  /** Undefined: nothing was exported yet. */
  readonly manifest: ManifestTotals | undefined;
}

/**
 * A metric read from the lake. Label values come from fixed sets or settings, never from data. The
 * label `source` is the job, because `job` is Prometheus's own label.
 */
export interface LakeMetric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly labels: readonly string[];
  read(scraped: Scraped): Sample[];
}

export const seconds = (ms: number): number => ms / 1000;

/** Names without a count are 0: a rate needs a first value. */
export const zeroFilled = (
  label: string,
  names: readonly string[],
  counted: readonly (readonly [name: string, count: number])[],
): Sample[] => {
  const counts = new Map(names.map((name) => [name, 0]));
  for (const [name, count] of counted) counts.set(name, count);
  return [...counts].map(([name, count]) => [count, { [label]: name }]);
};

/** Counts rows at each scrape. For small tables only. */
export const countOf = ({ lake }: Scraped, what: string): number =>
  required(prepare(lake.sqlite, `select count(*) from ${what}`, 'number').get());
