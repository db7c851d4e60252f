/** Parameters of the page size, likeliest first. */
export const SIZE_NAMES = [
  'limit',
  'per_page',
  'perPage',
  'pageSize',
  'page_size',
  'size',
  'count',
  'take',
  'max',
  'n',
];

/** The largest page that a message names, such as "from 1 to 25" or "at most 50". */
export const largestIn = (text: string): number | undefined => {
  const named = /(?:\bto|most|max(?:imum)?|<=|exceed|and|between 1-)\D{0,12}?(\d{1,5})/i.exec(
    text,
  )?.[1];
  const largest = Number(named ?? 0);
  return largest >= 1 && largest < 10_000 ? largest : undefined;
};

const UNKNOWN = /unknown|unexpected|unsupported|not allowed|unrecogni[sz]ed/i;
const DEMAND = /required|missing|must|between|at (?:most|least)/i;

/** The parameter of the page size that a message names, such as `take is required`. */
export const sizeNameIn = (text: string): string | undefined => {
  if (UNKNOWN.test(text) || !DEMAND.test(text)) return undefined;
  const begun = `"${text}`;
  return SIZE_NAMES.find((name) =>
    [`"${name} `, `"${name}"`, `'${name}'`, `: ${name} `].some((part) => begun.includes(part)),
  );
};

/** The part of a query that a message complains about. */
export const blameIn = (
  text: string,
  sizeParameter: string,
): 'parameter' | 'range' | 'size' | undefined => {
  const namesSize = sizeParameter !== '' && text.includes(sizeParameter);
  if (namesSize && UNKNOWN.test(text)) return 'parameter';
  if (/date.?range|time.?(range|window)/i.test(text)) return 'range';
  return namesSize || largestIn(text) !== undefined ? 'size' : undefined;
};
