import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parquetMetadata } from 'hyparquet';
import { LakeError, messageOf } from '../../base/errors.ts';
import type { ParquetColumn } from './parquet-tables.ts';

const TAIL_BYTES = 8; // length of the footer, then `PAR1`

const tailOf = (path: string): ArrayBuffer => {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const read = (bytes: number): Buffer => {
      const buffer = Buffer.from(new ArrayBuffer(Math.min(bytes, size)));
      readSync(file, buffer, 0, buffer.length, size - buffer.length);
      return buffer;
    };
    const footer = read(read(TAIL_BYTES).readUInt32LE(0) + TAIL_BYTES);
    return footer.buffer as ArrayBuffer;
  } finally {
    closeSync(file);
  }
};

/**
 * Reads a Parquet file's footer with a reader that is not its writer and compares what it says
 * with what was meant.
 * @throws LakeError when rows or columns differ, or it cannot be read at all
 */
export const checkFooter = (
  path: string,
  columns: readonly ParquetColumn[],
  rows: number,
): void => {
  let stated: string;
  try {
    const metadata = parquetMetadata(tailOf(path));
    const counted = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
    const names = metadata.schema.slice(1).map(({ name }) => name);
    if (Number(metadata.num_rows) === rows && counted === rows)
      if (names.join() === columns.map(({ name }) => name).join()) return;
    stated = `${counted} rows of ${names.join(', ')}`;
  } catch (error) {
    stated = messageOf(error);
  }
  throw new LakeError(
    `${path} does not read back: expected ${rows} rows of ${columns.map(({ name }) => name).join(', ')}; got ${stated}. It was not put in place; please report this.`,
  );
};
