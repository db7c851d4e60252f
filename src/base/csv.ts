/**
 * Text that a spreadsheet takes for a formula, in plain or full-width signs. It drops what is blank or
 * invisible before the sign. A tab or line end alone makes some of them split the cell.
 */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/u;

/** Text that no spreadsheet takes for a formula: behind an apostrophe where one would. */
export const spreadsheetText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** A field of RFC 4180: quoted where it could be read otherwise. */
export const csvField = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A line for a file that people open in a spreadsheet, without its end. What is not known is empty. */
export const csvLine = (fields: readonly (string | number | boolean | null)[]): string =>
  fields
    .map((field) => csvField(typeof field === 'string' ? spreadsheetText(field) : `${field ?? ''}`))
    .join(',');
