import { createHash } from 'node:crypto';
import {
  EVENT_KINDS,
  type EventKind,
  PLATFORM_PREFIXES,
  PLATFORMS,
  type Platform,
} from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import { isObject } from '../../base/json-object.ts';
import { FIELDS } from '../../base/wire/field-table.ts';
import { readInstant } from '../../base/wire/fields.ts';
import type { StorableEvent } from '../events/outbox.ts';
import { TOLERANCE_MS } from './hook-proof.ts';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

const LONGEST_ID = 200;
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_ID
    ? value.trim()
    : undefined;

/** Subject of each kind. */
const SUBJECTS: Record<EventKind, string> = {
  'trend.spike': 'video',
  'creator.viral': 'creator',
  'hashtag.rising': 'hashtag',
  'niche.breakout': 'niche',
};

const subjectOf = (kind: EventKind, data: Fields): { kind: string; id: string } | undefined => {
  const usual = SUBJECTS[kind];
  const { names } = FIELDS.eventSubject[kind];
  const given = fieldsOf(data.subject);
  const written = textOf(data.subject)?.replace(new RegExp(`^${usual}:`), '');
  const id = textOf(given.id) ?? written ?? names.map((name) => textOf(data[name])).find(Boolean);
  if (id === undefined) return undefined;
  return { kind: textOf(given.kind) ?? usual, id: id.replace(/^[@#]/, '') };
};

const platformOf = (data: Fields, subjectId: string): Platform | null => {
  const named = PLATFORMS.find((name) => name === data.platform);
  const prefix = subjectId.slice(0, subjectId.indexOf('_') + 1);
  return named ?? PLATFORMS.find((name) => `${PLATFORM_PREFIXES[name]}_` === prefix) ?? null;
};

/** Unix ms of a written instant; `now` if it is missing or invalid. */
const instantOf = (value: unknown, now: number): number => {
  const at = readInstant(value, 'timestamp', []);
  return at === null || at > now + TOLERANCE_MS ? now : at;
};

/** The id of the event: as a trendlake upstream gave it, else derived from the message's. */
const idOf = (data: Fields, hookId: string): string =>
  typeof data.id === 'string' && /^evt_[0-9a-f]{32}$/.test(data.id)
    ? data.id
    : `evt_${createHash('sha256').update(`upstream\n${hookId}`).digest('hex').slice(0, 32)}`;

/** Result of a message from an upstream. */
export type UpstreamMessage =
  | { readonly event: StorableEvent }
  /** Not one of the four kinds, or without a subject; `field` is what drift is reported under. */
  | { readonly unknown: string };

/**
 * Reads a verified message `{type, timestamp, data}`, tolerantly: what cannot be read becomes null
 * or the instant of arrival, and `data` is kept as it came.
 */
export const readUpstream = (body: unknown, hookId: string, now: number): UpstreamMessage => {
  const message = fieldsOf(body);
  const kind = EVENT_KINDS.find((name) => name === message.type);
  if (kind === undefined) return { unknown: textOf(message.type) ?? 'type' };
  const data = fieldsOf(message.data);
  const subject = subjectOf(kind, data);
  if (subject === undefined) return { unknown: `${kind} subject` };
  const occurredAt = instantOf(message.timestamp, now);
  const id = idOf(data, hookId);
  const platform = platformOf(data, subject.id);
  const moment = { from: isoOf(occurredAt), to: isoOf(occurredAt) };
  return {
    event: {
      id,
      kind,
      platform,
      subject: `${subject.kind}:${subject.id}`,
      occurredAt,
      origin: 'upstream',
      data: { window: moment, evidence: {}, ...data, id, platform, subject },
    },
  };
};
