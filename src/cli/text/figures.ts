const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** A number with thousands separators and at most three decimals. */
export const grouped = (value: number): string =>
  Number.isSafeInteger(value)
    ? String(value).replace(THOUSANDS, ',') // loading Intl takes 10 ms
    : value.toLocaleString('en');

/** Formats a count with its noun: `1 row`, `1,200 rows`. */
export const counted = (value: number, noun: string): string =>
  `${grouped(value)} ${value === 1 ? noun : `${noun}s`}`;

export const mebibytes = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
