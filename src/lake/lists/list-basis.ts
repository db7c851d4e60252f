import { endianness } from 'node:os';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Lake } from '../open.ts';
import { prepared, statement } from '../statements.ts';
import { NumberColumn } from './number-column.ts';

/** Columns of one length. */
type Columns = readonly Float64Array[];

/** Numbers as they are at `asOf` (Unix ms), and from then on until something newer is dated. */
export interface ListBasis {
  readonly asOf: number;
  /** Rows of all pieces. */
  readonly rows: number;
  /** Unpacks the pieces, one after the other. */
  readonly pieces: () => Iterable<Columns>;
}

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
const LEVEL = 1;

const pack = (columns: Columns): Buffer => {
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

/** Rows of a piece, but the last: 3.6 MB of a list of videos. Two are held unpacked at most. */
const PIECE_ROWS = 1 << 16;
const pieceName = (name: string, piece: number): string =>
  piece === 0 ? name : `${name} piece ${String(piece).padStart(6, '0')}`;

const READ = `select as_of as asOf, columns from list_basis
  where name = @name or name glob @name || ' piece *' order by name`;
const AS_OF = `select as_of from list_basis b where name = @name and as_of <= @at
  and not exists (select 1 from video_snapshot where observed_at > b.as_of and observed_at <= @at)
  and not exists (select 1 from video_revision where until_at > b.as_of and until_at <= @at)`;
const ANY = 'select exists (select 1 from list_basis)';

/** The stored columns of a name; undefined if the lake changed since, or none are stored. */
export const readListBasis = (lake: Lake, name: string, width: number): ListBasis | undefined => {
  const kept = prepared(lake, READ, { asOf: 'number', columns: 'blob' }).all({ name });
  const [first, last] = [kept[0], kept.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const lastPiece = unpack(last.columns, width); // // alone it has the number of rows
  return {
    asOf: first.asOf,
    rows: (kept.length - 1) * PIECE_ROWS + (lastPiece[0]?.length ?? 0),
    *pieces() {
      for (const { columns } of kept.slice(0, -1)) yield unpack(columns, width);
      yield lastPiece;
    },
  };
};

/**
 * The instant of what is kept under a name and true of the instant `at` (Unix ms) but for what left its
 * window since: undefined where it is of a later one, or something is dated between.
 */
export const listBasisAt = (lake: Lake, name: string, at: number): number | undefined =>
  prepared(lake, AS_OF, 'number').get({ name, at });

/** A piece of a basis as it is kept. */
export interface PackedBasis {
  readonly name: string;
  readonly asOf: number;
  readonly packed: Buffer;
}

/** Packs a basis row by row, for `keepListBases`; writes nothing, and holds one piece unpacked. */
export class BasisPacker {
  readonly #name: string;
  readonly #asOf: number;
  readonly #columns: readonly NumberColumn[];
  readonly #packed: PackedBasis[] = [];

  constructor(name: string, asOf: number, width: number) {
    this.#name = name;
    this.#asOf = asOf;
    this.#columns = Array.from({ length: width }, () => new NumberColumn(0));
  }

  /** Adds a row of as many numbers as there are columns. */
  add(row: readonly (number | null)[]): void {
    for (const [index, column] of this.#columns.entries()) column.push(row[index] ?? null);
    if (this.#columns[0]?.length === PIECE_ROWS) this.#pack();
  }

  /** All pieces; call it once, after the last row. */
  pieces(): readonly PackedBasis[] {
    if (this.#packed.length === 0 || this.#columns[0]?.length !== 0) this.#pack();
    return this.#packed;
  }

  #pack(): void {
    this.#packed.push({
      name: pieceName(this.#name, this.#packed.length),
      asOf: this.#asOf,
      packed: pack(this.#columns.map((column) => column.values())),
    });
    for (const column of this.#columns) column.clear();
  }
}

/** Keeps each under its name, in place of what was. Inside the transaction that they were read in. */
export const keepListBases = (lake: Lake, bases: readonly PackedBasis[]): void => {
  const keep = statement(
    lake,
    'insert or replace into list_basis (name, as_of, columns) values (?, ?, ?)',
  );
  for (const { name, asOf, packed } of bases) keep.run(name, asOf, packed);
};

/** True if something valid is stored. */
export const holdsListBasis = (lake: Lake): boolean => prepared(lake, ANY, 'number').get() === 1;

/** Empties the table. Call it inside the transaction that changes what lists are made from. */
export const dropListBasis = (lake: Lake): void => {
  if (!holdsListBasis(lake)) return; // emptying it again would write a page
  statement(lake, 'delete from list_basis').run();
};
