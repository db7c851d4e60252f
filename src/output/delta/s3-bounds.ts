import { pipeline, type Readable, Transform } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

const KIB = 1024;
const MIB = 1024 * KIB;
/** An object that is read: a commit or a checkpoint. */
const LARGEST_OBJECT = 32 * MIB;
/** A page of a list: 1000 keys of at most 1 KiB each, escaped. */
const LARGEST_PAGE = 8 * MIB;
const LARGEST_ERROR = 64 * KIB;
const MOST_PAGES = 10_000;
const MOST_LISTED = 100_000;

/** A store sent more than publishing can use. */
export class TooMuchError extends Error {
  readonly code = 'TooMuch';
}

/** A body that ends with an error once it is longer than `most` bytes. */
const boundedBody = (body: Readable, most: number): Readable => {
  let bytes = 0;
  const bound = new Transform({
    transform: (chunk: Buffer, _, done) => {
      bytes += chunk.length;
      if (bytes > most) done(new TooMuchError(`more than ${most} bytes`));
      else done(null, chunk);
    },
  });
  return pipeline(body, bound, () => {});
};

const mostBytes = (command: string | undefined, status: number): number => {
  if (status >= 300) return LARGEST_ERROR;
  return command === 'GetObjectCommand' ? LARGEST_OBJECT : LARGEST_PAGE;
};

/** Bounds every response body of a client, errors included. */
export const boundResponses = (client: S3Client): S3Client => {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const output = await next(args);
        const response = output.response as { statusCode: number; body?: Readable };
        if (response.body !== undefined)
          response.body = boundedBody(response.body, mostBytes(commandName, response.statusCode));
        return output;
      },
    { name: 'boundResponses', step: 'deserialize', priority: 'low' },
  );
  return client;
};

/** Bounds one list, page by page. */
export class ListBound {
  #pages = 0;
  #listed = 0;
  #last = '';

  /**
   * Counts a page.
   * @param next where the next page begins, as the store says
   * @returns `next`; undefined after the last page
   * @throws TooMuchError for a list that is too long or does not go on
   */
  add<T>(items: number, isTruncated: boolean | undefined, next: T | undefined): T | undefined {
    this.#pages += 1;
    this.#listed += items;
    if (this.#listed > MOST_LISTED || this.#pages > MOST_PAGES)
      throw new TooMuchError(`a list of more than ${MOST_LISTED} entries or ${MOST_PAGES} pages`);
    if (isTruncated !== true) return undefined;
    const mark = JSON.stringify(next) ?? '{}';
    if (mark === '{}' || mark === this.#last)
      throw new TooMuchError('a list whose next page is the same one');
    this.#last = mark;
    return next;
  }
}
