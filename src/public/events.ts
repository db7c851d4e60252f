import type { EventKind, Platform } from '../../schema/vocabulary.ts';
import type { EvidenceOf } from '../alerts/events/evidence.ts';
import { isObject, type JsonObject } from '../base/json-object.ts';
import { type StoredEvent, shownEvent } from '../lake/lists/event-list.ts';
import { presentEvidence } from '../lake/read/event-sentence.ts';

/** Facts of an event that trendlake detected; instants are ISO 8601. */
interface EventData<Kind extends EventKind> {
  readonly id: string;
  readonly platform: Platform | null;
  readonly subject: { readonly kind: string; readonly id: string; readonly url?: string };
  readonly window: { readonly from: string; readonly to: string };
  readonly evidence: EvidenceOf[Kind];
}

interface EventBasics<Kind extends EventKind> {
  readonly id: string;
  readonly kind: Kind;
  readonly platform: Platform | null;
  /** `video:<id>`, `creator:<handle>`, `hashtag:<tag>` or `niche:<tags>`. */
  readonly subject: string;
  /** The id, handle, tag or tags alone. */
  readonly subjectId: string;
  readonly occurredAt: string;
  readonly detectedAt: string;
}

/**
 * Something noticed, as `GET /events` lists it; instants are ISO 8601. `data` is typed by `kind` if
 * trendlake detected it. Webhooks of the upstream may hold anything.
 */
export type NoticedEvent<Kind extends EventKind = EventKind> = Kind extends EventKind
  ? EventBasics<Kind> &
      (
        | { readonly origin: 'trendlake'; readonly data: EventData<Kind> }
        | { readonly origin: 'upstream'; readonly data: Readonly<JsonObject> }
      )
  : never;

/** An event as the library returns it. @internal */
export const noticedEvent = <Kind extends EventKind>(stored: StoredEvent): NoticedEvent<Kind> => {
  const { data: found, ...event } = shownEvent(stored);
  const data = isObject(found) ? found : {};
  const evidence = isObject(data.evidence) ? data.evidence : {};
  const isOurs = event.origin !== 'upstream';
  return {
    ...event,
    subjectId: event.subject.slice(event.subject.indexOf(':') + 1),
    data: isOurs ? { ...data, evidence: presentEvidence(evidence) } : data,
  } as NoticedEvent<Kind>; // detectors write evidence of these types
};
