import { createHash } from 'node:crypto';
import type { EventKind, Platform } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';

/** Numbers and words that made an event. */
export type Evidence = Readonly<Record<string, number | string | null | readonly string[]>>;

/** The span of observations that made an event, Unix ms; `to` is when it occurred. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A detector's finding about its subject. */
export interface Finding {
  readonly window: Window;
  readonly evidence: Evidence;
}

export type SubjectKind = 'video' | 'creator' | 'hashtag' | 'niche';

export interface Subject {
  readonly kind: SubjectKind;
  readonly id: string;
  readonly url?: string;
}

/** Subject of a stored finding. */
export interface EventAbout {
  readonly kind: EventKind;
  readonly platform: Platform | null;
  readonly subject: Subject;
}

/** One event, as noticed. `occurredAt` is the end of its window. */
export interface TrendEvent extends EventAbout, Finding {
  readonly id: string;
  readonly occurredAt: number;
}

/** `<kind>:<id>`, as table `events` and the filters of subscriptions write a subject. */
export const subjectText = (subject: Subject): string => `${subject.kind}:${subject.id}`;

/** The id of what happened: the same kind, platform, subject and window give the same id anywhere. */
const eventId = ({ kind, platform, subject }: EventAbout, { from, to }: Window): string => {
  const parts = [kind, platform ?? '', subjectText(subject), String(from), String(to)];
  return `evt_${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)}`;
};

export const eventOf = (about: EventAbout, { window, evidence }: Finding): TrendEvent => ({
  id: eventId(about, window),
  ...about,
  window,
  occurredAt: window.to,
  evidence,
});

/** The event as table `events` keeps it in `data` and deliveries carry it; instants in ISO 8601. */
export const eventData = (event: TrendEvent): Record<string, unknown> => ({
  id: event.id,
  platform: event.platform,
  subject: event.subject,
  window: { from: isoOf(event.window.from), to: isoOf(event.window.to) },
  evidence: event.evidence,
});

/** Keeps figures readable: three decimals at most. */
export const toThousandths = (value: number): number => Math.round(value * 1000) / 1000;

/**
 * Findings inside `span` that open an episode: no other one is in the `quietMs` before them. A rule
 * that stays true for days makes one event. Nothing older than `quietMs` decides about a finding, so
 * detecting in one go or in many gives the same.
 * @param findings of one subject, oldest first, from at least `quietMs` before `span`
 * @param same true if two findings are about the same thing; default: always
 */
export const episodes = <F extends Finding>(
  findings: readonly F[],
  span: Window,
  quietMs: number,
  same: (a: F, b: F) => boolean = () => true,
): F[] =>
  findings.filter(
    (finding, index) =>
      finding.window.to > span.from &&
      finding.window.to <= span.to &&
      !findings
        .slice(0, index)
        .some((other) => finding.window.to - other.window.to < quietMs && same(finding, other)),
  );
