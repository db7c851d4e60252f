import type { EventKind } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { prepared } from '../statements.ts';

/** Kinds of events as people read them. */
export const KIND_WORDS = {
  'trend.spike': 'Spike',
  'creator.viral': 'Creator gone viral',
  'hashtag.rising': 'Rising hashtag',
  'niche.breakout': 'Niche breaking out',
} as const;

/** Subject of an event (`kind:id`) as people name it: a title, `@handle`, `#tag`, or a niche's tags. */
export const subjectName = (lake: Lake, subject: string): string => {
  const at = subject.indexOf(':');
  const [kind, id] = [subject.slice(0, at), subject.slice(at + 1)];
  if (kind === 'creator') return `@${id}`;
  if (kind === 'hashtag') return `#${id}`;
  if (kind === 'niche') return id.replaceAll('+', ' + ');
  const video = prepared(lake, 'select title, user from video where id = ?', {
    title: 'text?',
    user: 'text?',
  }).get(id);
  if (video?.title) return `${video.user ? `${video.user}, ` : ''}“${video.title}”`;
  return video?.user ? `a video by ${video.user} (${id})` : id;
};

/** An event with its subject as people name it. `occurredAt` in Unix ms. */
export interface BriefEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly subject: string;
  readonly name: string;
  readonly occurredAt: number;
  readonly origin: string;
}

const LAST = `
  select id, kind, subject, occurred_at as occurredAt, origin from events
  order by occurred_at desc, id limit 5`;

/** The last five events of a lake. */
export const lastEvents = (lake: Lake): BriefEvent[] =>
  prepared<Omit<BriefEvent, 'name'>>(lake, LAST, {
    id: 'text',
    kind: 'text',
    subject: 'text',
    occurredAt: 'number',
    origin: 'text',
  })
    .all()
    .map((event) => ({ ...event, name: subjectName(lake, event.subject) }));
