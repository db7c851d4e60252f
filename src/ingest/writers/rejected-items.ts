import type { Lake } from '../../lake/open.ts';
import { statement } from '../../lake/statements.ts';

/** Origin of a rejected item: a call, or a line of an imported file (`<path>:<line>`). */
type Origin = { callId: number } | { origin: string };

/** A rejected item with the reason. */
interface RejectedItem {
  reason: string;
  /** Shortened original. */
  item: string;
  seenAt: number;
}

/** Longest stored text of a rejected item, in characters. */
export const LONGEST_REJECTED = 64 * 1024;

/** Stores an item that could not be loaded, once per line of a file. Call inside the loading transaction. */
export const keepRejected = (
  lake: Lake,
  from: Origin,
  { reason, item, seenAt }: RejectedItem,
): void => {
  const [callId, origin] = 'callId' in from ? [from.callId, null] : [null, from.origin];
  statement(
    lake,
    `insert into rejected_items (call_id, origin, reason, item, seen_at) values (?, ?, ?, ?, ?)
     on conflict (origin) do nothing`,
  ).run(callId, origin, reason, item.slice(0, LONGEST_REJECTED), seenAt);
};

/** Removes the rejected items of a call, or of a line that is accepted now. */
export const forgetRejected = (lake: Lake, from: Origin): void => {
  if ('callId' in from)
    statement(lake, 'delete from rejected_items where call_id = ?').run(from.callId);
  else statement(lake, 'delete from rejected_items where origin = ?').run(from.origin);
};
