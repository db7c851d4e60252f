/** A line of RFC 4180 without its end; a field that could be read otherwise is quoted. */
export const csvLine = (fields: readonly (string | number)[]): string =>
  fields
    .map(String)
    .map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(',');
