import { oneLine } from './text-table.ts';

const LONGEST_SAMPLE = 80;
const LONGEST_LINE = 400;

/** Drift on one line, with its first sample (JSON). */
export const driftText = (
  { resource, field, sample }: { resource: string; field: string; sample: string },
  seen: string,
): string => {
  const first =
    sample.length > LONGEST_SAMPLE ? `${sample.slice(0, LONGEST_SAMPLE - 3)}...` : sample;
  return `  ${oneLine(`${resource}: ${field}, first ${seen}: ${first}`, LONGEST_LINE)}`;
};
