import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import type { StorableEvent } from '../events/outbox.ts';

/** A subject that the upstream reported and that was not requested since. */
export interface WantedSubject {
  readonly platform: Platform | null;
  readonly kind: string; // `video`, `creator` or `hashtag`
  readonly id: string;
  readonly wantedAt: number; // Unix ms
}

const KIND = `substr(subject, 1, instr(subject, ':') - 1)`;
const WANTED_FIRST = `
  select platform, subject, wanted_at as wantedAt from wanted_subjects
  where taken_at is null and ${KIND} in (select value from json_each(?))
  order by wanted_at, subject limit ?`;

/** Subjects to request first, longest wanted first: up to `limit` of the given kinds. */
export const readWantedSubjects = (
  lake: Lake,
  kinds: readonly string[],
  limit: number,
): WantedSubject[] =>
  prepare(lake.sqlite, WANTED_FIRST, { platform: 'platforms', subject: 'text', wantedAt: 'number' })
    .all(JSON.stringify(kinds), limit)
    .map(({ platform, subject, wantedAt }) => ({
      platform: platform === '' ? null : platform,
      kind: subject.slice(0, subject.indexOf(':')),
      id: subject.slice(subject.indexOf(':') + 1),
      wantedAt,
    }));

/** Puts an event's subject at the head of the next run. No API call exists for a niche. */
export const wantSubject = (lake: Lake, event: StorableEvent, now: number): void => {
  if (event.kind === 'niche.breakout') return;
  lake.sqlite
    .prepare(
      `insert into wanted_subjects (platform, subject, event_id, wanted_at) values (?, ?, ?, ?)
       on conflict do update set event_id = excluded.event_id, wanted_at = excluded.wanted_at, taken_at = null`,
    )
    .run(event.platform ?? '', event.subject, event.id, now);
};

/** Marks subjects of other kinds as taken, because no call requests them alone. */
export const markOthersTaken = (lake: Lake, kinds: readonly string[], at: number): void => {
  lake.sqlite
    .prepare(`
      update wanted_subjects set taken_at = ?
      where taken_at is null and ${KIND} not in (select value from json_each(?))`)
    .run(at, JSON.stringify(kinds));
};

/** Marks a wanted subject as requested. A new report makes it wanted again. */
export const markTaken = (lake: Lake, wanted: WantedSubject, at: number): void => {
  lake.sqlite
    .prepare(
      'update wanted_subjects set taken_at = ? where platform = ? and subject = ? and wanted_at = ?',
    )
    .run(at, wanted.platform ?? '', `${wanted.kind}:${wanted.id}`, wanted.wantedAt);
};
