import { openLake } from '../../src/lake/open.ts';

// Opens the lake of the folder it is given, making it where there is none.
openLake(process.argv[2] ?? '').close();
