import { faultOf } from './lake-fault.ts';

// The process that checks one file, started by backup.ts: a check is a single statement of SQLite, of a
// large lake minutes, in which the process that runs it hears no signal.

const [, , path = ''] = process.argv;
process.stdout.write(JSON.stringify(faultOf(path) ?? null));
