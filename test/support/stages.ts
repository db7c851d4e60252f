import { writeSync } from 'node:fs';

/** Stages of a syncing process, each with the character it writes when it gets there. */
export const STAGES = {
  o: 'opening the lake',
  p: 'planning',
  c: 'a call',
  l: 'loading a page',
  b: 'between pages',
  f: 'ending the run',
  n: 'noticing events',
  x: 'exporting',
  d: 'closing',
} as const;
export type Stage = keyof typeof STAGES;

/** The file descriptor that the letters go to: written at once, so that they survive the process. */
export const STAGE_FD = 3;

/** Says what this process is at. */
export const enter = (stage: Stage): void => void writeSync(STAGE_FD, stage);

/** At which stage each named point of a run is; those that come by the hundred have none. */
export const STAGE_OF: Readonly<Record<string, Stage>> = {
  'at the start of a run': 'p',
  'while a job is planned': 'p',
  'before the ledger row': 'c',
  'before sending': 'c',
  'after sending': 'c',
  'after the response': 'l',
  'in the transaction of a page, with its body': 'l',
  'in the transaction of a page, at the done of its item': 'l',
  'in the transaction of a page, at the touched partitions': 'l',
  'after the transaction of a page': 'b',
  'at the end of a run': 'f',
};
