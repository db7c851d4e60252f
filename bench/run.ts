import { join } from 'node:path';
import { chooseEntry } from '../tools/choose-entry.ts';
import { BENCHES } from './benches.ts';

// Runs one bench.
//
//   npm run bench NAME [-- OPTIONS]

const [name] = process.argv.splice(2, 1); // the bench reads the rest as its own options
chooseEntry('bench', BENCHES, name);
await import(join(import.meta.dirname, `${name}.ts`));
