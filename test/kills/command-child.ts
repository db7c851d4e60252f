import { virtualClock } from '../../src/base/clock.ts';
import { runCommand } from '../support/run-command.ts';

// Runs a command on a data directory, with backups in a folder, at an instant; prints a line when it begins.

const [dataDir = '', now = '0', to = '', ...argv] = process.argv.slice(2);
process.stdout.write('begins\n');
const env = { TRENDLAKE_BACKUPS_TO: to };
const clock = virtualClock(Number(now));
const { code, err } = await runCommand(argv, { dataDir, env, clock });
if (code !== 0) process.stderr.write(`${err}\n`);
process.exitCode = code;
