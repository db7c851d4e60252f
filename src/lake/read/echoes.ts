import { sourceCode } from '../../../schema/vocabulary.ts';

const OBSERVED = new Set<number>([sourceCode('growth'), sourceCode('import')]);

/**
 * Finds counts that a list or profile repeated unchanged: they may be carried on from an earlier
 * observation, so they do not show that nothing changed. Counts of timelines and imports were
 * observed. One for each subject, whose snapshots come in their order.
 */
export class Echoes {
  readonly #known: (number | null)[] = [];

  /** @param source code of the snapshot's source @param counts its counts; null: not stated */
  isEcho(source: number, ...counts: readonly (number | null)[]): boolean {
    let isNews = false;
    for (const [i, count] of counts.entries()) {
      if (count === null || count === this.#known[i]) continue;
      this.#known[i] = count;
      isNews = true;
    }
    return !isNews && !OBSERVED.has(source);
  }
}
