const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** A number with its thousands apart and at most three decimals. */
export const grouped = (value: number): string =>
  Number.isSafeInteger(value)
    ? String(value).replace(THOUSANDS, ',') // what knows other numbers takes 10 ms to load
    : value.toLocaleString('en');

/** How many of what: `1 row`, `1,200 rows`. */
export const counted = (value: number, one: string): string =>
  `${grouped(value)} ${value === 1 ? one : `${one}s`}`;

/** A size of a file or folder. */
export const mebibytes = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
