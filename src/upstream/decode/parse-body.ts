import { parseJson } from '../../base/wire/fields.ts';
import type { RawResponse } from '../client.ts';
import { UnreadableResponseError } from '../errors.ts';

/** JSON is UTF-8, whatever the header says; another charset is believed only where it is not. */
const parseText = (body: Buffer, charset: string): unknown => {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    if (/^utf-?8$/i.test(charset)) throw error;
    return parseJson(new TextDecoder(charset, { fatal: true }).decode(body));
  }
};

const LONGEST_TYPE = 80;

/** Describes a body that is not JSON, without quoting it. */
const appearanceOf = (body: Buffer, error: unknown): string => {
  const start = body.toString('latin1', 0, 1024).trimStart();
  if (start === '') return 'it is empty';
  if (start.startsWith('<')) return 'it looks like HTML or XML';
  if (error instanceof TypeError || error instanceof RangeError)
    return 'it is not text in its charset';
  if (/^[[{]/.test(start)) return 'it begins like JSON and is cut or garbled';
  return 'it is something else';
};

/**
 * The JSON of a response.
 * @throws UnreadableResponseError if it is not JSON, or incomplete
 */
export const parseBody = (response: RawResponse): unknown => {
  const type = response.headers['content-type'] ?? '';
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return parseText(response.body, charset);
  } catch (error) {
    const stated = type === '' ? 'no content type' : `content type ${type.slice(0, LONGEST_TYPE)}`;
    throw new UnreadableResponseError(
      `The response is not whole JSON (${stated}, ${response.body.length} bytes): ${appearanceOf(response.body, error)}.`,
      response.status,
      true,
      error,
    );
  }
};
