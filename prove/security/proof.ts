/** One line of the table: an attack, how often it was tried, and how often it succeeded. */
export interface Proof {
  readonly what: string;
  readonly tried: number;
  /** Each thing that should have been refused and was not, in words. */
  readonly passed: readonly string[];
  /** A measurement in words; '' where only counts matter. */
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
