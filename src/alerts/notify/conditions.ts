import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';

/** A problem. The same `kind` and `subject` is the same condition. */
export interface Condition {
  readonly kind: ConditionKind;
  /** Subject within its kind: a source, a chore, an endpoint; '' if there is only one. */
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
  | 'alert'
  | 'watch';

/** That a condition began, or that it is over. */
export interface Notice {
  readonly kind: ConditionKind;
  readonly subject: string;
  readonly sentence: string;
  readonly beganAt: number; // Unix ms
  readonly endedAt: number | null; // Unix ms; null: it holds
}

/** A notice that at least one target did not get. */
export interface UnsentNotice extends Notice {
  /** Ids of targets that got it. */
  readonly sentTo: readonly string[];
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
  const end = sqlite.prepare(
    `update conditions set ended_at = @now, told_to = null where ${IS_OPEN}`,
  );
  sqlite
    .transaction(() => {
      for (const condition of holding) begin.run({ ...condition, now });
      for (const condition of open.all())
        if (judged.some((a) => isSame(a, condition)) && !holding.some((a) => isSame(a, condition)))
          end.run({ kind: condition.kind, subject: condition.subject, now });
    })
    .immediate();
};

/**
 * Unsent notices, oldest first: current conditions, and the end of sent ones. Conditions that ended
 * before they were sent are skipped.
 */
export const unsentNotices = (lake: Lake): UnsentNotice[] =>
  prepare<Notice & { sentTo: string }>(
    lake.sqlite,
    `select kind, subject, detail as sentence, began_at as beganAt, ended_at as endedAt,
         coalesce(told_to, '[]') as sentTo from conditions
       where (ended_at is null and (told_at is null or told_to is not null))
         or (told_at is not null and ended_at is not null and end_told_at is null)
       order by coalesce(ended_at, began_at), kind, subject`,
    {
      kind: 'text',
      subject: 'text',
      sentence: 'text',
      beganAt: 'number',
      endedAt: 'number?',
      sentTo: 'text',
    },
  )
    .all()
    .map((notice) => ({ ...notice, sentTo: JSON.parse(notice.sentTo) as string[] }));

/**
 * Saves that a target got notices.
 * @param targets ids of all targets; once each got a notice, it is not sent again
 */
export const markNoticesSent = (
  lake: Lake,
  notices: readonly UnsentNotice[],
  { target, targets, now }: { target: string; targets: readonly string[]; now: number },
): void => {
  const mark = lake.sqlite.prepare(
    `update conditions set told_at = coalesce(told_at, @now),
       told_to = iif(@isLast, null, json_insert(coalesce(told_to, '[]'), '$[#]', @target)),
       end_told_at = iif(@isLast and @endedAt is not null, @now, end_told_at)
     where kind = @kind and subject = @subject and began_at = @beganAt`,
  );
  lake.sqlite
    .transaction(() => {
      for (const { sentTo, ...notice } of notices) {
        const isLast = targets.every((id) => id === target || sentTo.includes(id));
        mark.run({ ...notice, target, now, isLast: isLast ? 1 : 0 });
      }
    })
    .immediate();
};
