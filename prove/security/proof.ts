/** One line of the table: what was tried how often, and what came through. */
export interface Proof {
  readonly what: string;
  readonly tried: number;
  /** Each thing that should have been refused and was not, in words. */
  readonly passed: readonly string[];
  /** What was measured, in words; '' where only counts matter. */
  readonly measured: string;
}

/** The table in Markdown, as docs/guides/security.md holds it. */
export const proofTable = (proofs: readonly Proof[]): string =>
  [
    '| what was tried | tried | came through | measured |',
    '| --- | ---: | ---: | --- |',
    ...proofs.map(
      ({ what, tried, passed, measured }) =>
        `| ${what} | ${tried.toLocaleString('en')} | ${passed.length} | ${measured} |`,
    ),
  ].join('\n');
