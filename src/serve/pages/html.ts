import { raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Escaped markup of hono's html templates. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export const NOTHING: Html = raw('');

/** JSON for a script element: `<` is escaped, so it cannot close the element. */
export const embedded = (value: unknown): Html =>
  raw(JSON.stringify(value).replaceAll('<', '\\u003c'));
