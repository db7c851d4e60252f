import { messageOf } from '../../base/errors.ts';
import { DEEPEST_LEVELS, isTooDeep } from '../../base/wire/fields.ts';
import { eraseJson } from '../../ingest/responses/erase-json.ts';
import { storeDrift } from '../../ingest/writers/drift.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { isOfErased, storeEvents } from '../events/outbox.ts';
import { type HookHeaders, type HookSecret, proveHook } from './hook-proof.ts';
import { readUpstream } from './upstream-event.ts';
import { wantSubject } from './wanted-subjects.ts';

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
