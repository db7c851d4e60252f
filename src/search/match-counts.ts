import { lakeVersion } from '../lake/lake-version.ts';
import type { Lake } from '../lake/open.ts';
import { statement } from '../lake/statements.ts';

interface Counts {
  readonly version: number; // of the lake
  readonly byExpression: Map<string, number>;
}

/** Questions whose count is remembered at most. */
const REMEMBERED = 500;

const lakes = new WeakMap<Lake, Counts>();

/** The counts that hold now. A connection that writes is not told of its own writes: none for it. */
const countsOf = (lake: Lake): Counts => {
  const version = lakeVersion(lake);
  const held = lakes.get(lake);
  if (lake.sqlite.readonly && held?.version === version) return held;
  const none = { version, byExpression: new Map<string, number>() };
  lakes.set(lake, none);
  return none;
};

/**
 * How many videos match an expression of the search index. Counting a word that a million videos hold
 * takes 40 ms, so the next pages of a question, and the question again, have it from memory until the
 * lake is written to.
 */
export const countMatches = (lake: Lake, expression: string): number => {
  const { byExpression } = countsOf(lake);
  const held = byExpression.get(expression);
  if (held !== undefined) return held;
  const count = statement(lake, 'select count(*) from search where search match ?')
    .pluck()
    .get(expression) as number;
  if (byExpression.size >= REMEMBERED) byExpression.clear();
  byExpression.set(expression, count);
  return count;
};
