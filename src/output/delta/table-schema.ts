import { z } from 'zod';
import type { MetaData } from './delta-actions.ts';
import { TablesError } from './errors.ts';
import type { TableColumn } from './file-columns.ts';

/** What readers and writers of the tables must understand: nothing beyond the oldest protocol. */
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

/** The columns that a table is partitioned by, behind those of its files. */
const partitionFields = (dated: boolean): Field[] => [
  { name: 'lake', type: 'string' },
  ...(dated ? [{ name: 'date', type: 'date' }] : []),
];

/** What a lake brings to a table. */
export interface Brought {
  readonly table: string;
  /** Whether the table has one file a UTC day. */
  readonly dated: boolean;
  readonly columns: readonly TableColumn[];
  readonly lake: string;
  readonly lakeId: string;
}

/** The id of the lake that publishes into a table under a name; undefined where none does. */
export const publisherOf = (metaData: MetaData | undefined, lake: string): string | undefined =>
  metaData?.configuration?.[LAKE + lake];

/** Whether a table is one that trendlake made. */
export const isOurs = ({ configuration }: MetaData, table: string): boolean =>
  configuration?.[OWNER] === table;

const conflict = (url: string, { name, type }: Field, known: unknown): TablesError =>
  new TablesError(
    `${url} has the column ${name} of type ${JSON.stringify(known)}, and this lake brings ${JSON.stringify(type)}. Nothing was published there: let every lake run the same version of trendlake, then publish again.`,
  );

/**
 * What a table's description must become for a lake to publish into it, or undefined when it is that
 * already. Columns are only ever added; lakes of an older trendlake lack them, which reads as null.
 * @param url of the table, for messages
 * @throws TablesError when a column has another type there
 */
export const adaptedMetaData = (
  url: string,
  metaData: MetaData | undefined,
  brought: Brought,
  made: { readonly id: string; readonly at: number },
): MetaData | undefined => {
  const own = partitionFields(brought.dated);
  const known =
    metaData === undefined
      ? []
      : fieldsOf(metaData).filter(({ name }) => !own.some((one) => one.name === name));
  const byName = new Map(known.map((one) => [one.name, one]));
  for (const column of brought.columns) {
    const before = byName.get(column.name);
    if (before !== undefined && before.type !== column.type)
      throw conflict(url, column, before.type);
  }
  const added = brought.columns.filter(({ name }) => !byName.has(name));
  const isKnown = publisherOf(metaData, brought.lake) === brought.lakeId;
  if (metaData !== undefined && added.length === 0 && isKnown) return undefined;
  const fields = [...known, ...added, ...own];
  return {
    id: metaData?.id ?? made.id,
    name: brought.table,
    format: { provider: 'parquet', options: {} },
    schemaString: JSON.stringify({ type: 'struct', fields: fields.map(fieldText) }),
    partitionColumns: own.map(({ name }) => name),
    configuration: {
      ...metaData?.configuration,
      [OWNER]: brought.table,
      [LAKE + brought.lake]: brought.lakeId,
    },
    createdTime: metaData?.createdTime ?? made.at,
  };
};
