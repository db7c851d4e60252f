import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { ManifestTotals } from '../../output/parquet/manifest.ts';
import type { CountedKey } from '../../upstream/throttle/counted-key.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import type { CallCount } from './call-tally.ts';
import type { Tallies } from './tallies.ts';

/** A value, and the labels it stands under. */
export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** A key's month; the key is undefined where there is only one. */
export interface KeyedMonth {
  readonly key: CountedKey | undefined;
  readonly month: MonthState | null;
}

/** What a scrape reads. `now` is Unix ms. */
export interface Scraped {
  readonly lake: Lake;
  readonly now: number;
  /** Of each key; null where a shared ledger counts it and does not tell. */
  readonly months: readonly KeyedMonth[];
  /** False: calls of other machines count as well, in a shared ledger. */
  readonly countsItself: boolean;
  readonly tallies: Tallies;
  readonly calls: readonly CallCount[];
  /** Calls without an outcome. */
  readonly unsettled: number;
  /** Undefined: nothing was exported yet. */
  readonly manifest: ManifestTotals | undefined;
}

/**
 * A metric that is read from the lake. Label values come from fixed sets or the settings, never
 * from data. What else is called a job is `source` here: `job` is Prometheus's own label.
 */
export interface LakeMetric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly labels: readonly string[];
  read(scraped: Scraped): Sample[];
}

/** Prometheus counts time in seconds. */
export const seconds = (ms: number): number => ms / 1000;

/** Names of fixed sets that nothing was counted for stand at 0: a rate needs a first value. */
export const zeroFilled = (
  label: string,
  names: readonly string[],
  counted: readonly (readonly [name: string, count: number])[],
): Sample[] => {
  const counts = new Map(names.map((name) => [name, 0]));
  for (const [name, count] of counted) counts.set(name, count);
  return [...counts].map(([name, count]) => [count, { [label]: name }]);
};

/** Counts rows anew at each scrape: of small tables only. */
export const countOf = ({ lake }: Scraped, what: string): number =>
  required(prepare(lake.sqlite, `select count(*) from ${what}`, 'number').get());
