import { z } from 'zod';
import type { MetaData } from './delta-actions.ts';
import { TablesError } from './errors.ts';
import type { TableColumn } from './file-columns.ts';

/** Required protocol of readers and writers. */
export const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 } as const;
const OWNER = 'trendlake.table';
const LAKE = 'trendlake.lake.';

const field = z.looseObject({ name: z.string(), type: z.unknown() });
const struct = z.object({ type: z.literal('struct'), fields: z.array(field) });

interface Field {
  readonly name: string;
  readonly type: unknown;
}

const fieldsOf = ({ schemaString }: MetaData): Field[] =>
  struct.parse(JSON.parse(schemaString)).fields;

const fieldText = ({ name, type }: Field): object => ({ name, type, nullable: true, metadata: {} });

/** Partition column of every table, after the columns of its files. */
const LAKE_FIELD: Field = { name: 'lake', type: 'string' };

/** A lake's contribution to a table. */
export interface Brought {
  readonly table: string;
  readonly columns: readonly TableColumn[];
  readonly lake: string;
  readonly lakeId: string;
}

/** Id of the lake that publishes into a table under a name; undefined: none. */
export const publisherOf = (metaData: MetaData | undefined, lake: string): string | undefined =>
  metaData?.configuration?.[LAKE + lake];

/** True if trendlake made the table. */
export const isOurs = ({ configuration }: MetaData, table: string): boolean =>
  configuration?.[OWNER] === table;

const conflict = (url: string, { name, type }: Field, known: unknown): TablesError =>
  new TablesError(
    `${url} has the column ${name} of type ${JSON.stringify(known)}, and this lake brings ${JSON.stringify(type)}. Nothing was published there: let every lake run the same version of trendlake, then publish again.`,
  );

/**
 * The description that a table needs for a lake's data; undefined if it has it. Columns are only
 * added; rows of older lakes read as null.
 * @param url of the table, for messages
 * @throws TablesError if a column has another type there
 */
export const adaptedMetaData = (
  url: string,
  metaData: MetaData | undefined,
  brought: Brought,
  creation: { readonly id: string; readonly at: number },
): MetaData | undefined => {
  const known =
    metaData === undefined ? [] : fieldsOf(metaData).filter(({ name }) => name !== LAKE_FIELD.name);
  const byName = new Map(known.map((column) => [column.name, column]));
  for (const column of brought.columns) {
    const before = byName.get(column.name);
    if (before !== undefined && before.type !== column.type)
      throw conflict(url, column, before.type);
  }
  const added = brought.columns.filter(({ name }) => !byName.has(name));
  const isKnown = publisherOf(metaData, brought.lake) === brought.lakeId;
  if (metaData !== undefined && added.length === 0 && isKnown) return undefined;
  const fields = [...known, ...added, LAKE_FIELD];
  return {
    id: metaData?.id ?? creation.id,
    name: brought.table,
    format: { provider: 'parquet', options: {} },
    schemaString: JSON.stringify({ type: 'struct', fields: fields.map(fieldText) }),
    partitionColumns: [LAKE_FIELD.name],
    configuration: {
      ...metaData?.configuration,
      [OWNER]: brought.table,
      [LAKE + brought.lake]: brought.lakeId,
    },
    createdTime: metaData?.createdTime ?? creation.at,
  };
};
