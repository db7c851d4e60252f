import { oneLine } from './text-table.ts';

const LONGEST_SAMPLE = 80;
const LONGEST_LINE = 400;

const cut = (text: string): string =>
  text.length > LONGEST_SAMPLE ? `${text.slice(0, LONGEST_SAMPLE - 3)}...` : text;

/** Drift, with the first sample (JSON), and the one before. */
export const driftText = (
  {
    resource,
    field,
    sample,
    former = null,
    setting = null,
  }: {
    resource: string;
    field: string;
    sample: string;
    former?: string | null;
    setting?: string | null;
  },
  seen: string,
): string => {
  const lines = [
    `${resource}: ${field}, first ${seen}: ${cut(sample)}`,
    ...(former === null ? [] : [`  before: ${cut(former)}`]),
    ...(setting === null ? [] : [`  fix: set upstream.${setting}, then replay`]),
  ];
  return lines.map((line) => `  ${oneLine(line, LONGEST_LINE)}`).join('\n');
};
