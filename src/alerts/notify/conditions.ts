import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';

/** What is not as it should be. The same `kind` and `subject` is the same condition. */
export interface Condition {
  readonly kind: ConditionKind;
  /** Which one of its kind: a source, a chore, an endpoint; '' where there is but one. */
  readonly subject: string;
  readonly sentence: string;
}
export type ConditionKind =
  | 'run'
  | 'quota'
  | 'stale'
  | 'drift'
  | 'chore'
  | 'endpoint'
  | 'clock'
  | 'watch';

/** That a condition began, or that it is over. */
export interface Notice {
  readonly kind: ConditionKind;
  readonly subject: string;
  readonly sentence: string;
  readonly beganAt: number; // Unix ms
  readonly endedAt: number | null; // Unix ms; null: it holds
}

/** A kind, or one of its subjects, that was examined. */
export interface JudgedKind {
  readonly kind: ConditionKind;
  readonly subject?: string;
}

const IS_OPEN = 'kind = @kind and subject = @subject and ended_at is null';

/**
 * Notes which conditions hold. One that holds already goes on, with its first sentence; one of the
 * judged kinds that does not hold any more is over. Safe to run twice.
 * @param judged what was examined now; of others nothing is known
 */
export const noteConditions = (
  lake: Lake,
  holding: readonly Condition[],
  { judged, now }: { judged: readonly JudgedKind[]; now: number },
): void => {
  const { sqlite } = lake;
  const begin = sqlite.prepare(
    `insert into conditions (kind, subject, began_at, detail)
     select @kind, @subject, max(@now, coalesce(max(began_at) + 1, 0)), @sentence
     from conditions where kind = @kind and subject = @subject
     having not exists (select 1 from conditions where ${IS_OPEN})`,
  );
  const open = prepare<Omit<Condition, 'sentence'>>(
    sqlite,
    'select kind, subject from conditions where ended_at is null',
    { kind: 'text', subject: 'text' },
  );
  const isSame = (a: JudgedKind, b: JudgedKind): boolean =>
    a.kind === b.kind && (a.subject === undefined || a.subject === b.subject);
  const end = sqlite.prepare(`update conditions set ended_at = @now where ${IS_OPEN}`);
  sqlite
    .transaction(() => {
      for (const condition of holding) begin.run({ ...condition, now });
      for (const one of open.all())
        if (judged.some((a) => isSame(a, one)) && !holding.some((a) => isSame(a, one)))
          end.run({ kind: one.kind, subject: one.subject, now });
    })
    .immediate();
};

/**
 * What nobody was told yet, oldest first: what holds, and the end of what was told. What began and
 * ended before anybody could be told is passed over.
 */
export const untoldNotices = (lake: Lake): Notice[] =>
  prepare<Notice>(
    lake.sqlite,
    `select kind, subject, detail as sentence, began_at as beganAt, ended_at as endedAt from conditions
       where (told_at is null and ended_at is null)
         or (told_at is not null and ended_at is not null and end_told_at is null)
       order by coalesce(ended_at, began_at), kind, subject`,
    { kind: 'text', subject: 'text', sentence: 'text', beganAt: 'number', endedAt: 'number?' },
  ).all();

/** Notes that notices were told. */
export const markTold = (lake: Lake, notices: readonly Notice[], now: number): void => {
  const told = lake.sqlite.prepare(
    `update conditions set told_at = coalesce(told_at, @now),
       end_told_at = iif(@endedAt is null, end_told_at, @now)
     where kind = @kind and subject = @subject and began_at = @beganAt`,
  );
  lake.sqlite.transaction(() => notices.map((notice) => told.run({ ...notice, now }))).immediate();
};
