import type { EventKind } from '../../../schema/vocabulary.ts';
import { byOccurrence } from './detect.ts';
import type { TrendEvent } from './event.ts';

/** Events of one kind that one detection stores at most; a lake of millions may have more. */
export const MOST_OF_A_KIND = 10_000;

/** The newest events of each kind, out of any number that are added; the rest is counted. */
export class NewestEvents {
  readonly #most: number;
  readonly #byKind = new Map<EventKind, TrendEvent[]>();
  #left = 0;

  constructor(most = MOST_OF_A_KIND) {
    this.#most = most;
  }

  add(event: TrendEvent): void {
    const events = this.#byKind.get(event.kind);
    if (events === undefined) this.#byKind.set(event.kind, [event]);
    else events.push(event);
    if (events !== undefined && events.length >= 2 * this.#most) this.#trim(events);
  }

  /** Those that are kept, oldest first, and how many older ones are not. */
  taken(): { events: TrendEvent[]; left: number } {
    for (const events of this.#byKind.values()) this.#trim(events);
    const events = [...this.#byKind.values()].flat().sort(byOccurrence);
    return { events, left: this.#left };
  }

  #trim(events: TrendEvent[]): void {
    const surplus = events.length - this.#most;
    if (surplus <= 0) return;
    events.sort(byOccurrence).splice(0, surplus);
    this.#left += surplus;
  }
}
