import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { startCeph } from './tables/ceph-store.ts';
import { lacksReader, lacksStore } from './tables/installed.ts';
import { proveManyFiles } from './tables/many-files.ts';
import { proveManyRows } from './tables/many-rows.ts';
import { proveMonths } from './tables/months.ts';
import type { Proof } from './tables/proof.ts';
import { proveRaces } from './tables/races.ts';
import { proveTour } from './tables/tour.ts';

// The promises of docs/guides/publish.md about published tables, against a real S3 server (Ceph) and read by an
// engine that is not ours (ClickHouse's, by delta-kernel). Both are installed where they can be.
//
//   npm run -s prove tables [-- --lakes 6 --commits 1000 --kills 60 --reads 1000]   races
//                           [-- --many-lakes 20 --days 1095]                         many files
//                           [-- --snapshots 100000000]                               many rows
//   --parts tour,months,races,files,rows names the parts to run.

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'tour,months,races,files,rows' },
    lakes: { type: 'string', default: '6' },
    commits: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '60' },
    reads: { type: 'string', default: '1000' },
    'many-lakes': { type: 'string', default: '20' },
    days: { type: 'string', default: '1095' },
    snapshots: { type: 'string', default: '100000000' },
  },
});
const BYTES_A_SNAPSHOT = 40;
const GIBIBYTES = Math.ceil(2 + (Number(values.snapshots) * BYTES_A_SNAPSHOT) / 2 ** 30);

const prove = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-tables-'));
  const store = await startCeph(join(folder, 'store'), GIBIBYTES);
  const credentials = { accessKeyId: store.key, secretAccessKey: store.secret };
  const { endpoint } = store;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  const proofOf = async (bucket: string): Promise<Proof> => {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    const own = join(folder, bucket);
    mkdirSync(own);
    return {
      store,
      bucket,
      folder: own,
      tell: (line) => void process.stdout.write(`${line}\n`),
      fail: (line) => {
        process.stdout.write(`FAILED ${line}\n`);
        process.exitCode = 1;
      },
    };
  };
  const parts = values.parts.split(',');
  const number = (name: Exclude<keyof typeof values, 'parts'>): number => Number(values[name]);
  try {
    if (parts.includes('tour')) await proveTour(await proofOf('trends'));
    if (parts.includes('months')) await proveMonths(await proofOf('months'));
    if (parts.includes('races'))
      await proveRaces(await proofOf('races'), {
        lakes: number('lakes'),
        commits: number('commits'),
        kills: number('kills'),
        reads: number('reads'),
      });
    if (parts.includes('files'))
      await proveManyFiles(await proofOf('files'), {
        lakes: number('many-lakes'),
        days: number('days'),
      });
    if (parts.includes('rows')) await proveManyRows(await proofOf('rows'), number('snapshots'));
  } finally {
    client.destroy();
    store.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

const lacking = lacksStore() ?? lacksReader();
if (lacking === undefined) await prove();
else process.stdout.write(`${lacking} Nothing was proved.\n`);
