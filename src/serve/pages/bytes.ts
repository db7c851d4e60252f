const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Short size, such as 4.2 MB. */
export const bytesText = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const size = bytes / 1000 ** power;
  return `${size < 10 && power > 0 ? size.toFixed(1) : Math.round(size)} ${UNITS[power]}`;
};
