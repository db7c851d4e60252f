import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';

export const CALL_OUTCOMES = [
  'ok',
  'limited',
  'refused',
  'unreadable',
  'no_answer',
  'unreachable',
] as const;

/** Settled calls of one job with the same outcome. `lastAt`: Unix ms. */
export interface CallCount {
  readonly job: string;
  readonly outcome: string;
  readonly count: number;
  readonly lastAt: number;
}

const GROUPED = (where: string): string => `
  select job, count(*) as count, max(finished_at) as lastAt,
    case when error is null then 'ok'
      when sent = 0 then 'unreachable'
      when status is null then 'no_answer'
      when status in (429, 503) then 'limited'
      when status = 200 then 'unreadable'
      else 'refused' end as outcome
  from calls where finished_at is not null and ${where} group by job, outcome`;

const SHAPE = { job: 'text', outcome: 'text', count: 'number', lastAt: 'number' } as const;
const NEW = GROUPED('id > ?');
const SETTLED_SINCE = GROUPED('id in (select value from json_each(?))');
const UNSETTLED = 'select id from calls where finished_at is null';
const NEWEST = 'select coalesce(max(id), 0) from calls';

/** Counts calls by job and outcome. Reads each call once: a year has 600,000. */
export class CallTally {
  readonly #lake: Lake;
  #counts = new Map<string, CallCount>();
  #countedTo = 0;
  #unsettled: number[] = [];

  constructor(lake: Lake) {
    this.#lake = lake;
  }

  /** Counts new calls. */
  update(): { calls: CallCount[]; unsettled: number } {
    this.#lake.sqlite.transaction(() => this.#count())();
    return { calls: [...this.#counts.values()], unsettled: this.#unsettled.length };
  }

  #count(): void {
    const { sqlite } = this.#lake;
    const newest = required(prepare(sqlite, NEWEST, 'number').get());
    const unsettled = prepare(sqlite, UNSETTLED, 'number').all();
    for (const row of prepare(sqlite, NEW, SHAPE).all(this.#countedTo)) this.#add(row);
    const open = JSON.stringify(this.#unsettled);
    for (const row of prepare(sqlite, SETTLED_SINCE, SHAPE).all(open)) this.#add(row);
    this.#countedTo = newest;
    this.#unsettled = unsettled;
  }

  #add(row: CallCount): void {
    const key = `${row.job} ${row.outcome}`;
    const before = this.#counts.get(key);
    const count = (before?.count ?? 0) + row.count;
    this.#counts.set(key, { ...row, count, lastAt: Math.max(before?.lastAt ?? 0, row.lastAt) });
  }
}
