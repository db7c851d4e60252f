/**
 * Text that a spreadsheet reads as a formula, also with full-width signs. Spreadsheets ignore
 * leading blank and invisible characters. A leading tab or line break splits the cell in some of
 * them.
 */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/u;

/** Prefixes text that a spreadsheet would read as a formula with an apostrophe. */
export const spreadsheetText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** A field of RFC 4180, quoted if needed. */
export const csvField = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A line for a spreadsheet, without a line break. Null is empty. */
export const csvLine = (fields: readonly (string | number | boolean | null)[]): string =>
  fields
    .map((field) => csvField(typeof field === 'string' ? spreadsheetText(field) : `${field ?? ''}`))
    .join(',');
