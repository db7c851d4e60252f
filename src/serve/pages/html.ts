import { raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup that is escaped already: what hono's html templates make and take. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** No markup at all. */
export const NOTHING: Html = raw('');

/** JSON that cannot end the script element it stands in. */
export const embedded = (value: unknown): Html =>
  raw(JSON.stringify(value).replaceAll('<', '\\u003c'));
