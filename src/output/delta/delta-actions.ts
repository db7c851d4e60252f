import { z } from 'zod';

/** Actions of a commit of a Delta table, as far as trendlake writes and reads them. */

const texts = z.record(z.string(), z.string());
const partitionValues = z.record(z.string(), z.string().nullable());

const addFile = z.object({
  path: z.string(), // within the table, percent-encoded
  partitionValues,
  size: z.int(), // bytes
  modificationTime: z.int(), // Unix milliseconds
  dataChange: z.boolean(),
  stats: z.string().nullish(), // JSON: numRecords, minValues, maxValues, nullCount
});
const removeFile = z.object({
  path: z.string(),
  deletionTimestamp: z.int().nullish(), // Unix milliseconds
  dataChange: z.boolean(),
  extendedFileMetadata: z.boolean().nullish(),
  partitionValues: partitionValues.nullish(),
  size: z.int().nullish(),
});
const metaData = z.object({
  id: z.string(),
  name: z.string().nullish(),
  format: z.object({ provider: z.string(), options: texts.nullish() }),
  schemaString: z.string(), // JSON: the columns and their types
  partitionColumns: z.array(z.string()),
  configuration: texts.nullish(),
  createdTime: z.int().nullish(),
});
const protocol = z.object({ minReaderVersion: z.int(), minWriterVersion: z.int() });
const txn = z.object({
  appId: z.string(),
  version: z.int(), // only ever grows
  lastUpdated: z.int().nullish(),
});

const action = z.object({
  add: addFile.nullish(),
  remove: removeFile.nullish(),
  metaData: metaData.nullish(),
  protocol: protocol.nullish(),
  txn: txn.nullish(),
});

export type AddFile = z.infer<typeof addFile>;
export type RemoveFile = z.infer<typeof removeFile>;
export type MetaData = z.infer<typeof metaData>;
export type Protocol = z.infer<typeof protocol>;
export type Txn = z.infer<typeof txn>;
/** One action. It has one of these fields, or none if trendlake does not use the action. */
export type Action = z.infer<typeof action>;

/**
 * The actions of a commit's file, one JSON object per line.
 * @throws ZodError or SyntaxError for an invalid line
 */
export const actionsIn = (bytes: Buffer): Action[] =>
  bytes
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => action.parse(JSON.parse(line)));

/**
 * The action of a checkpoint's row.
 * @throws ZodError for an invalid row
 */
export const actionOf = (row: unknown): Action => action.parse(row);
