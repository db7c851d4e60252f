import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { Manifest, ManifestFile } from '../../../src/output/parquet/manifest.ts';

// Reads what export-child.ts writes while it writes: `reader-child <folder> <reads>`. A read takes the
// manifest, then a file it names; prints what it met as JSON. It goes on until it has met enough
// exports for its reads to have been among them.
const [folder = '', reads = '0'] = process.argv.slice(2);
const LEAST_EXPORTS = 10;

/** Result of a reader. */
export interface Met {
  reads: number;
  exports: number;
  /** Files whose bytes are those the manifest names, and whole ones of an export after it. */
  asNamed: number;
  newer: number;
  torn: string[];
}
const met: Met = { reads: 0, exports: 0, asNamed: 0, newer: 0, torn: [] };

/** The rounds that the rows of a changing file hold, each once. */
const roundsOf = async (bytes: Buffer): Promise<number[]> => {
  const file = new Uint8Array(bytes).buffer;
  const rows = await parquetReadObjects({
    file,
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  });
  const told = Number(parquetMetadata(file).num_rows);
  if (rows.length !== told) throw new Error(`${rows.length} rows instead of ${told}`);
  return [...new Set(rows.map((row) => Number.parseInt(String(row.title ?? row.views), 10)))];
};

/** Reads one file that a manifest of `round` names. @throws when it is not whole, or older */
const readOne = async (named: ManifestFile, round: number): Promise<void> => {
  const bytes = readFileSync(join(folder, named.path));
  const rounds = await roundsOf(bytes);
  const sum = createHash('sha256').update(bytes).digest('hex');
  if (rounds.length !== 1) throw new Error(`rows of rounds ${rounds.join(', ')} in one file`);
  if (sum === named.sha256 && bytes.length === named.bytes) met.asNamed += 1;
  else if ((rounds[0] ?? 0) > round) met.newer += 1;
  else throw new Error(`round ${rounds[0]}, and not the bytes that the manifest of ${round} names`);
};

let lastRound = -1;
for (let n = 0; n < Number(reads) || met.exports < LEAST_EXPORTS; n++) {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  const round = Date.parse(manifest.exportedAt);
  if (round !== lastRound) met.exports += 1;
  lastRound = round;
  const changing = manifest.files.filter(({ table }) => /^videos$|^video_snapshots$/.test(table));
  const named = changing[n % changing.length];
  if (named === undefined) continue;
  met.reads += 1;
  await readOne(named, round).catch((error: unknown) => met.torn.push(`${named.path}: ${error}`));
}
process.stdout.write(JSON.stringify(met));
