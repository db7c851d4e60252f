import type { FileMetaData, SchemaElement } from 'hyparquet';
import { dateOf } from '../../base/iso.ts';
import { TablesError } from './errors.ts';

/** A column of a published table with its Delta type. */
export interface TableColumn {
  readonly name: string;
  readonly type:
    | 'long'
    | 'integer'
    | 'double'
    | 'float'
    | 'boolean'
    | 'string'
    | 'timestamp'
    | 'date';
}

const isText = ({ converted_type, logical_type }: SchemaElement): boolean =>
  ['UTF8', 'JSON', 'ENUM'].includes(converted_type ?? '') ||
  ['STRING', 'JSON', 'ENUM'].includes(logical_type?.type ?? '');

const isTime = ({ converted_type, logical_type }: SchemaElement): boolean =>
  ['TIMESTAMP_MILLIS', 'TIMESTAMP_MICROS'].includes(converted_type ?? '') ||
  (logical_type?.type === 'TIMESTAMP' && logical_type.isAdjustedToUTC);

/** Delta type of a Parquet column. Timestamps are in UTC. Undefined: no export writes it. */
const typeOf = (element: SchemaElement): TableColumn['type'] | undefined => {
  const { type, converted_type, logical_type } = element;
  if (type === 'INT64' && isTime(element)) return 'timestamp';
  if (type === 'BYTE_ARRAY' && isText(element)) return 'string';
  if (type === 'INT32' && (converted_type === 'DATE' || logical_type?.type === 'DATE'))
    return 'date';
  if (converted_type !== undefined || logical_type !== undefined) {
    const plain = converted_type === 'INT_64' || converted_type === 'INT_32';
    if (!plain) return undefined;
  }
  if (type === 'INT64') return 'long';
  if (type === 'INT32') return 'integer';
  if (type === 'DOUBLE') return 'double';
  if (type === 'FLOAT') return 'float';
  return type === 'BOOLEAN' ? 'boolean' : undefined;
};

/**
 * The columns of an exported file, in their order.
 * @throws TablesError for a type that engines read differently
 */
export const fileColumns = (path: string, { schema }: FileMetaData): TableColumn[] =>
  schema.slice(1).map((element) => {
    const type = typeOf(element);
    if (type !== undefined && (element.num_children ?? 0) === 0)
      return { name: element.name, type };
    throw new TablesError(
      `${path} holds the column ${element.name} of a type that published tables do not support (${element.type ?? 'a group'} ${element.converted_type ?? ''}). Nothing was published of it; please report this.`,
    );
  });

const LONGEST_TEXT = 64;

/** True if a text can be a bound: whole characters and not too long. */
const isBound = (text: string): boolean => text.length <= LONGEST_TEXT && !text.includes('\ufffd');

/** A footer's value as Delta's statistics write it; undefined if it is not reliable. */
const boundOf = (
  value: unknown,
  type: TableColumn['type'],
): number | string | boolean | undefined => {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) return undefined;
    return type === 'date' ? dateOf(value.getTime()) : value.toISOString();
  }
  if (typeof value === 'string') return isBound(value) ? value : undefined;
  return typeof value === 'boolean' ? value : undefined;
};

/** Texts compare by their bytes, as engines and Parquet do; everything else as it is. */
const isLess = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string'
    ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
    : (a as number) < (b as number);

type Bound = NonNullable<ReturnType<typeof boundOf>>;

/** The least (or, with `-1`, the greatest) of the row groups' bounds; undefined unless all have one. */
const outermost = (bounds: readonly (Bound | undefined)[], most: boolean): Bound | undefined =>
  bounds.reduce((found, bound) => {
    if (found === undefined || bound === undefined) return undefined;
    return isLess(bound, found) !== most ? bound : found;
  }, bounds[0]);

/**
 * Delta statistics from the footer of a file, by which engines skip files: rows, and the least and
 * greatest value and the nulls of each column. Values missing in the footer are left out.
 */
export const statisticsOf = (
  { num_rows, row_groups }: FileMetaData,
  columns: readonly TableColumn[],
): string => {
  const minValues: Record<string, Bound> = {};
  const maxValues: Record<string, Bound> = {};
  const nullCount: Record<string, number> = {};
  columns.forEach(({ name, type }, index) => {
    const chunks = row_groups.map(({ columns: chunk }) => chunk[index]?.meta_data);
    const nulls = chunks.map((chunk) => chunk?.statistics?.null_count);
    if (nulls.every((count) => count !== undefined))
      nullCount[name] = nulls.reduce((sum, count) => sum + Number(count), 0);
    // a row group with only nulls has no bounds
    const withBounds = chunks.filter((chunk, group) => {
      const count = nulls[group];
      return count === undefined || Number(count) < Number(chunk?.num_values ?? Number.NaN);
    });
    if (type === 'boolean') return;
    const least = outermost(
      withBounds.map((chunk) => boundOf(chunk?.statistics?.min_value, type)),
      false,
    );
    const greatest = outermost(
      withBounds.map((chunk) => boundOf(chunk?.statistics?.max_value, type)),
      true,
    );
    if (least !== undefined) minValues[name] = least;
    if (greatest !== undefined) maxValues[name] = greatest;
  });
  return JSON.stringify({ numRecords: Number(num_rows), minValues, maxValues, nullCount });
};
