import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { Proof } from './proof.ts';

// The bucket of a proof as any program sees it, without trendlake.

const clientOf = ({ store }: Proof): S3Client =>
  new S3Client({
    endpoint: store.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: store.key, secretAccessKey: store.secret },
  });

const bytesOf = async (client: S3Client, Bucket: string, Key: string): Promise<Buffer> => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};

/** Downloads every object below a prefix into a folder. */
export const downloadFolder = async (
  proof: Proof,
  prefix: string,
  folder: string,
): Promise<void> => {
  const client = clientOf(proof);
  let ContinuationToken: string | undefined;
  do {
    const list = { Bucket: proof.bucket, Prefix: `${prefix}/`, ContinuationToken };
    const page = await client.send(new ListObjectsV2Command(list));
    for (const { Key = '' } of page.Contents ?? []) {
      const path = join(folder, Key.slice(prefix.length + 1));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, await bytesOf(client, proof.bucket, Key));
    }
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  client.destroy();
};

/** Size of a table's newest checkpoint and the files it names; undefined without one. */
export const checkpointNote = async (
  proof: Proof,
  table: string,
): Promise<{ bytes: number; files: number } | undefined> => {
  const client = clientOf(proof);
  const key = `tables/${table}/_delta_log/_last_checkpoint`;
  const note = await bytesOf(client, proof.bucket, key).catch(() => undefined);
  client.destroy();
  if (note === undefined) return undefined;
  const { sizeInBytes, numOfAddFiles } = JSON.parse(note.toString()) as Record<string, number>;
  return { bytes: sizeInBytes ?? 0, files: numOfAddFiles ?? 0 };
};
