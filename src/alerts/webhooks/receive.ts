import { createHash } from 'node:crypto';
import {
  EVENT_KINDS,
  type EventKind,
  PLATFORM_PREFIXES,
  PLATFORMS,
  type Platform,
} from '../../../schema/vocabulary.ts';
import { messageOf } from '../../base/errors.ts';
import { isoOf } from '../../base/iso.ts';
import { isObject } from '../../base/json-object.ts';
import { FIELDS } from '../../base/wire/field-table.ts';
import { DEEPEST_LEVELS, isTooDeep, readInstant } from '../../base/wire/fields.ts';
import { eraseJson } from '../../ingest/responses/erase-json.ts';
import { storeDrift } from '../../ingest/writers/drift.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { isOfErased, type StorableEvent, storeEvents } from '../events/outbox.ts';
import { type HookHeaders, type HookSecret, proveHook, TOLERANCE_MS } from './hook-proof.ts';
import { wantSubject } from './wanted-subjects.ts';

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
type UpstreamMessage =
  | { readonly event: StorableEvent }
  /** Not one of the four kinds, or without a subject; `field` is what drift is reported under. */
  | { readonly unknown: string };

/**
 * Reads a verified message `{type, timestamp, data}`, tolerantly: what cannot be read becomes null
 * or the instant of arrival, and `data` is kept as it came.
 */
const readUpstream = (body: unknown, hookId: string, now: number): UpstreamMessage => {
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

/** Result of a received message. */
export type HookOutcome =
  | { readonly kind: 'stored'; readonly eventId: string }
  | { readonly kind: 'kept' } // verified; of an unknown kind, or about an erased subject
  | { readonly kind: 'repeated' } // seen before; nothing was done
  | { readonly kind: 'unsigned' | 'forged' | 'unreadable'; readonly detail: string };

const CUT_SAMPLE = 1024;

/**
 * Takes one message of the upstream's webhook: proves its raw bytes, keeps it, stores an event of
 * the four kinds with origin `upstream`, and asks for its subject in the next run. All of it in one
 * transaction; the same message again changes nothing, however often it comes.
 */
export const receiveHook = (
  lake: Lake,
  { headers, body }: { headers: HookHeaders; body: Buffer },
  { secret, now }: { secret: HookSecret; now: number },
): HookOutcome => {
  const proof = proveHook(headers, body, secret, now);
  if (!proof.ok) return { kind: proof.missing ? 'unsigned' : 'forged', detail: proof.detail };
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch (error) {
    return { kind: 'unreadable', detail: `The body is not JSON: ${messageOf(error)}.` };
  }
  if (isTooDeep(parsed))
    return {
      kind: 'unreadable',
      detail: `The body is nested deeper than ${DEEPEST_LEVELS} levels, which cannot be kept.`,
    };
  const message = readUpstream(parsed, proof.id, now);
  const type = (parsed as { type?: unknown } | null)?.type;
  return lake.sqlite
    .transaction((): HookOutcome => {
      if ('event' in message && isOfErased(lake, message.event)) return { kind: 'kept' };
      const { text } = eraseJson(body.toString('utf8'), { subjects: erasedOf(lake) });
      const eventId = 'event' in message ? message.event.id : null;
      const { changes } = lake.sqlite
        .prepare(
          'insert into received_hooks (id, received_at, type, event_id, body) values (?, ?, ?, ?, ?) on conflict do nothing',
        )
        .run(proof.id, now, typeof type === 'string' ? type : null, eventId, text);
      if (changes === 0) return { kind: 'repeated' };
      if ('unknown' in message) {
        const field = message.unknown;
        const sample = () => text.slice(0, CUT_SAMPLE);
        storeDrift(lake, [{ resource: 'upstream event', field, sample }], {
          callId: null,
          seenAt: now,
        });
        return { kind: 'kept' };
      }
      storeEvents(lake, [message.event], { now });
      wantSubject(lake, message.event, now);
      return { kind: 'stored', eventId: message.event.id };
    })
    .immediate();
};
