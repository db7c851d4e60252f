import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import { expect } from 'vitest';
import type { Lake } from '../../../src/lake/open.ts';
import type { ManifestFile } from '../../../src/output/parquet/manifest.ts';

export const folderOf = (lake: Lake): string => join(lake.dataDir, 'parquet');
export const manifestOf = (lake: Lake): ManifestFile[] =>
  JSON.parse(readFileSync(join(folderOf(lake), 'manifest.json'), 'utf8')).files;

/** The files on disk are those of the manifest, each with the size, hash and rows it states. */
export const expectWhole = (lake: Lake): void => {
  const onDisk = readdirSync(folderOf(lake), { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folderOf(lake), name)).isFile())
    .sort();
  expect(onDisk).toEqual([...manifestOf(lake).map(({ path }) => path), 'manifest.json'].sort());
  for (const { path, bytes, rows, sha256 } of manifestOf(lake)) {
    const content = readFileSync(join(folderOf(lake), path));
    expect(content.length).toBe(bytes);
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    expect(Number(parquetMetadata(new Uint8Array(content).buffer).num_rows)).toBe(rows);
  }
};
