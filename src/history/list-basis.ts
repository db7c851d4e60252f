import { endianness } from 'node:os';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Lake } from '../lake/open.ts';
import { prepared, statement } from '../lake/statements.ts';

/** Numbers as they were when the lake held nothing newer than `asOf` (Unix ms): columns of one length. */
export interface ListBasis {
  readonly asOf: number;
  readonly columns: readonly Float64Array[];
}

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
const LEVEL = 1;

const pack = (columns: readonly Float64Array[]): Buffer => {
  const length = columns[0]?.length ?? 0;
  const bytes = Buffer.allocUnsafeSlow(columns.length * length * NUMBER_BYTES);
  for (const [index, { buffer, byteOffset, byteLength }] of columns.entries())
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), index * byteLength);
  if (endianness() === 'BE') bytes.swap64();
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
    chunkSize: 1 << 20,
  });
};

const unpack = (packed: Buffer, width: number): Float64Array[] => {
  const read = zstdDecompressSync(packed, { chunkSize: 1 << 20 });
  const bytes = Buffer.allocUnsafeSlow(read.length); // begins where a number may
  bytes.set(read);
  if (endianness() === 'BE') bytes.swap64();
  const length = bytes.length / NUMBER_BYTES / width;
  return Array.from(
    { length: width },
    (_, index) =>
      new Float64Array(bytes.buffer, bytes.byteOffset + index * length * NUMBER_BYTES, length),
  );
};

const READ = 'select as_of as asOf, columns from list_basis where name = ?';
const AS_OF = 'select as_of from list_basis where name = ?';
const ANY = 'select exists (select 1 from list_basis)';

/** What was kept under a name, in `width` columns; undefined where the lake changed since, or it never was. */
export const readListBasis = (lake: Lake, name: string, width: number): ListBasis | undefined => {
  const kept = prepared(lake, READ, { asOf: 'number', columns: 'blob' }).get(name);
  return kept && { asOf: kept.asOf, columns: unpack(kept.columns, width) };
};

/** The instant of what is kept under a name, without reading it. */
export const listBasisAt = (lake: Lake, name: string): number | undefined =>
  prepared(lake, AS_OF, 'number').get(name);

/** A basis as it is kept. */
export interface PackedBasis {
  readonly name: string;
  readonly asOf: number;
  readonly packed: Buffer;
}

/** A basis for `keepListBases`; writes nothing. */
export const packListBasis = (name: string, { asOf, columns }: ListBasis): PackedBasis => ({
  name,
  asOf,
  packed: pack(columns),
});

/** Keeps each under its name, in place of what was. Inside the transaction that they were read in. */
export const keepListBases = (lake: Lake, bases: readonly PackedBasis[]): void => {
  const keep = statement(
    lake,
    'insert or replace into list_basis (name, as_of, columns) values (?, ?, ?)',
  );
  for (const { name, asOf, packed } of bases) keep.run(name, asOf, packed);
};

/** Whether anything is kept, all of which is true. */
export const holdsListBasis = (lake: Lake): boolean => prepared(lake, ANY, 'number').get() === 1;

/** Empties the table. Call it inside the transaction that changes what lists are made from. */
export const dropListBasis = (lake: Lake): void => {
  if (!holdsListBasis(lake)) return; // emptying it again would write a page
  statement(lake, 'delete from list_basis').run();
};
