/** One metric of a scrape. */
export interface Family {
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
const SUFFIXES: Record<string, string[]> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

const labelsIn = (text: string): Record<string, string> => {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (match === null) throw new Error(`labels are not readable: ${text}`);
    const [, name = '', value = ''] = match;
    if (name in labels) throw new Error(`label ${name} comes twice: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
  }
  return labels;
};

const numberIn = (text: string): number => {
  if (/^[+-]Inf$/.test(text)) return text.startsWith('+') ? Infinity : -Infinity;
  if (text === 'NaN') return Number.NaN;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw new Error(`no number: ${text}`);
  return Number(text);
};

const checkHistogram = (name: string, { samples }: Family): void => {
  const seriesOf = ({ le: _, ...labels }: Record<string, string>) => JSON.stringify(labels);
  for (const series of Map.groupBy(samples, ({ labels }) => seriesOf(labels)).values()) {
    const buckets = series.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => numberIn(labels.le ?? ''));
    const counts = buckets.map(({ value }) => value);
    const rising = (values: number[]) =>
      values.every((v, i) => i === 0 || v >= (values[i - 1] ?? 0));
    const count = series.find((sample) => sample.name === `${name}_count`)?.value;
    if (!rising(bounds) || !rising(counts) || bounds.at(-1) !== Infinity || counts.at(-1) !== count)
      throw new Error(`the buckets of ${name} do not add up: ${JSON.stringify(series)}`);
  }
};

/**
 * Reads the Prometheus text format (0.0.4) as strictly as its description: HELP and TYPE once and
 * first, a family's lines together, no series twice, escapes and numbers as they must be, histograms
 * that add up, a line feed at the end.
 * @throws Error naming what is wrong
 */
export const readExposition = (text: string): Map<string, Family> => {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed');
  const families = new Map<string, Family>();
  const series = new Set<string>();
  let current = '';
  const begin = (name: string): Family => {
    if (name !== current && families.has(name)) throw new Error(`${name} is not in one piece`);
    const family = families.get(name) ?? { type: '', help: '', samples: [] };
    families.set(name, family);
    current = name;
    return family;
  };
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const about = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`).exec(line);
    if (about !== null) {
      const [, what, name = '', rest = ''] = about;
      const family = begin(name);
      const field = what === 'HELP' ? 'help' : 'type';
      if (family[field] !== '' || family.samples.length > 0) throw new Error(`late: ${line}`);
      if (field === 'type' && !TYPES.includes(rest)) throw new Error(`no type: ${line}`);
      family[field] = rest;
      continue;
    }
    const sample = SAMPLE.exec(line);
    const family = families.get(current);
    if (sample === null || family === undefined) throw new Error(`no sample: ${line}`);
    const [, name = '', labelText = '', value = ''] = sample;
    const suffixes = SUFFIXES[family.type] ?? [''];
    if (!suffixes.some((suffix) => name === current + suffix))
      throw new Error(`${name} stands under ${current}`);
    const labels = labelsIn(labelText);
    const id = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (series.has(id)) throw new Error(`twice: ${line}`);
    series.add(id);
    family.samples.push({ name, labels, value: numberIn(value) });
  }
  for (const [name, family] of families)
    if (family.type === 'histogram') checkHistogram(name, family);
  return families;
};
