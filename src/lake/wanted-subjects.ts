import type { Platform } from '../../schema/vocabulary.ts';
import type { Lake } from './open.ts';

/** A subject the upstream said something happened to, and nobody has asked for since. */
export interface WantedSubject {
  readonly platform: Platform | null;
  readonly kind: string; // `video`, `creator` or `hashtag`
  readonly id: string;
  readonly wantedAt: number; // Unix ms
}

/** What the next run should ask for first, longest wanted first. */
export const wantedSubjects = (lake: Lake, limit: number): WantedSubject[] =>
  (
    lake.sqlite
      .prepare(
        'select platform, subject, wanted_at as wantedAt from wanted_subjects where taken_at is null order by wanted_at, subject limit ?',
      )
      .all(limit) as { platform: Platform | ''; subject: string; wantedAt: number }[]
  ).map(({ platform, subject, wantedAt }) => ({
    platform: platform === '' ? null : platform,
    kind: subject.slice(0, subject.indexOf(':')),
    id: subject.slice(subject.indexOf(':') + 1),
    wantedAt,
  }));

/** Notes that a wanted subject was asked for. Wanting it anew makes it wanted again. */
export const markTaken = (lake: Lake, wanted: WantedSubject, at: number): void => {
  lake.sqlite
    .prepare(
      'update wanted_subjects set taken_at = ? where platform = ? and subject = ? and wanted_at = ?',
    )
    .run(at, wanted.platform ?? '', `${wanted.kind}:${wanted.id}`, wanted.wantedAt);
};
