import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { EXIT, messageOf, TrendlakeError } from '../../base/errors.ts';

/** A file could not be read to its end: truncated gzip, a disk error. */
export class FileReadError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode = EXIT.failed;
}

/** Lines of one chunk of a file, in order. */
export interface LineChunk {
  lines: string[];
  /** Bytes of the (compressed) file read so far. */
  bytesRead: number;
}

const LINE_FEED = 10;
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;
/** Observations compress 10 to 20 times. More than this is a gzip bomb. */
const MOST_TIMES_PACKED = 200;
const UNPACKED_FREELY = 64 * 1024 * 1024;

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/**
 * Lines of a text file, in chunks. A name ending in `.gz` means gzip. Only a line feed ends a line, because
 * titles contain other Unicode line separators. A BOM is dropped. Blank lines are kept for line numbers.
 * @throws FileReadError after the readable lines
 */
export async function* ndjsonLines(path: string, signal?: AbortSignal): AsyncGenerator<LineChunk> {
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  const content = path.endsWith('.gz')
    ? pipeline(file, createGunzip({ chunkSize: 256 * 1024 }), () => {})
    : file;
  let rest: Buffer[] = [];
  let restBytes = 0;
  let first = true;
  let unpacked = 0;
  const textOf = (bytes: Buffer): string => {
    const text = bytes.toString('utf8').replace(/\r$/, '');
    const clean = first && text.startsWith('\ufeff') ? text.slice(1) : text;
    first = false;
    return clean;
  };
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      unpacked += chunk.length;
      if (unpacked > UNPACKED_FREELY && unpacked > MOST_TIMES_PACKED * file.bytesRead)
        throw new FileReadError(
          `the gzip unpacks to more than ${MOST_TIMES_PACKED} times its size (${mebibytes(unpacked)} out of ${mebibytes(file.bytesRead)} so far), as no observations do`,
        );
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        const tail = chunk.subarray(start, end);
        lines.push(textOf(rest.length === 0 ? tail : Buffer.concat([...rest, tail])));
        rest = [];
        restBytes = 0;
        start = end + 1;
      }
      rest.push(Buffer.from(chunk.subarray(start)));
      restBytes += chunk.length - start;
      if (restBytes > LONGEST_LINE_BYTES)
        throw new FileReadError(`a line is longer than ${LONGEST_LINE_BYTES} bytes`);
      if (lines.length > 0) yield { lines, bytesRead: file.bytesRead };
    }
    if (restBytes > 0) yield { lines: [textOf(Buffer.concat(rest))], bytesRead: file.bytesRead };
  } catch (error) {
    if (signal?.aborted === true || error instanceof FileReadError) throw error;
    const cutShort = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
    const what = cutShort ? 'the gzip stream is cut short' : messageOf(error);
    throw new FileReadError(what, { cause: error });
  } finally {
    file.destroy();
  }
}
