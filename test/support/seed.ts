import { flushCompileCache } from 'node:module';
import fc from 'fast-check';

// The suite is handed its randomness: the same inputs on every machine, so that a failure is the
// change's and not the day's. `PROVE_SEED=random npm test` (or a number) looks elsewhere.
const wanted = process.env.PROVE_SEED ?? '20260301';

/** Start of every draw of this run of the suite. */
export const SEED = wanted === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
if (wanted !== 'random') fc.configureGlobal({ seed: SEED });

// Code compiled by now need not be compiled by the processes that the next file starts.
flushCompileCache();
