import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { deliveryBody } from '../events/outbox.ts';
import type { DeliveryAttempt, Poster } from './post.ts';
import { signedLetter } from './signature.ts';

const POLL_MS = SECOND_MS / 4;
const MOST_AT_ONCE = 100;

/** An event as a webhook would deliver it. */
export interface HeardEvent {
  readonly id: string;
  readonly body: string;
  /** Undefined: nothing is forwarded. */
  readonly attempt: DeliveryAttempt | undefined;
}

interface ListenDeps {
  readonly clock: Clock;
  /** Ends the listening. */
  readonly signal: AbortSignal;
  /** Start with events that were detected after this instant, Unix ms. */
  readonly since: number;
  readonly forward:
    | { readonly url: URL; readonly secret: string; readonly poster: Poster }
    | undefined;
}

/** Events that are detected while this runs, forwarded one by one. Nothing is stored or retried. */
export async function* listenToEvents(
  { sqlite }: Pick<Lake, 'sqlite'>,
  { clock, signal, since, forward }: ListenDeps,
): AsyncGenerator<HeardEvent> {
  let last = required(
    prepare(
      sqlite,
      'select coalesce(max(rowid), 0) from events where detected_at <= ?',
      'number',
    ).get(since),
  );
  const read = prepare(
    sqlite,
    `select rowid, id, kind, occurred_at as occurredAt, data from events where rowid > ?
       order by rowid limit ${MOST_AT_ONCE}`,
    { rowid: 'number', id: 'text', kind: 'text', occurredAt: 'number', data: 'text' },
  );
  while (!signal.aborted) {
    const events = read.all(last);
    for (const event of events) {
      if (signal.aborted) return;
      const body = deliveryBody(event);
      let attempt: DeliveryAttempt | undefined;
      if (forward !== undefined) {
        const { url, secret, poster } = forward;
        const letter = signedLetter(`${event.id}.listen`, clock.now(), body, [secret]);
        const loopback = url.protocol === 'http:';
        attempt = await poster.post({ url: url.href, loopback, ...letter }, signal);
      }
      yield { id: event.id, body, attempt };
      last = event.rowid;
    }
    if (events.length === 0) await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
}
