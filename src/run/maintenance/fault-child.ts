import { faultOf } from './lake-fault.ts';

// Child process of backup.ts that checks one file. The check is one SQLite statement, takes minutes in
// a large lake and blocks signals meanwhile.

const [, , path = ''] = process.argv;
process.stdout.write(JSON.stringify(faultOf(path) ?? null));
