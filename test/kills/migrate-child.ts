import { writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { whileAlone } from '../../src/lake/exclusive.ts';
import { migrate } from '../../src/lake/migrate.ts';
import { LAKE_FILE, MIGRATION, WAIT_MS } from '../../src/lake/open.ts';

// Leads a lake forward by the migrations of a folder, as opening it does by the project's own:
// `migrate-child <data dir> <folder>`. Says so on stdout when it begins.
const [dataDir = '', folder = ''] = process.argv.slice(2);
const path = join(dataDir, LAKE_FILE);
const sqlite = new Database(path);
sqlite.pragma('synchronous = FULL');
writeSync(1, 'begun\n');
whileAlone(dataDir, MIGRATION, WAIT_MS, () => migrate(sqlite, path, { folder }));
sqlite.close();
