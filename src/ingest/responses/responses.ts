import { gzipSync } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { statement } from '../../lake/statements.ts';
import type { RawResponse } from '../../upstream/client.ts';

/**
 * Stores the body of a call's response, packed, for `replay`; `observedAt` (Unix ms) is the instant it
 * is true at. Storing it again changes nothing.
 */
export const storeResponse = (
  lake: Lake,
  callId: number,
  { headers, body }: Pick<RawResponse, 'headers' | 'body'>,
  observedAt: number,
): void => {
  // a page packs to a sixth at level 1, in a third of the time of level 6
  const packed = gzipSync(body, { level: 1 });
  statement(
    lake,
    `insert into responses (call_id, content_type, observed_at, body) values (?, ?, ?, ?)
     on conflict (call_id) do nothing`,
  ).run(callId, headers['content-type'] ?? null, observedAt, packed);
};

/** Some tens of milliseconds of work, after which others may write. */
const CALLS_A_STEP = 500;

/**
 * Removes the stored responses of calls made before an instant, in short steps.
 * @returns how many
 * @throws the signal's reason when stopped; what was removed until then stays so
 */
export const forgetResponses = async (
  { sqlite }: Lake,
  before: number,
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
): Promise<number> => {
  const next = prepare(
    sqlite,
    `select id, sent_at as sentAt from calls
       where sent_at < @before and (sent_at, id) > (@sentAt, @id)
       order by sent_at, id limit ${CALLS_A_STEP}`,
    { id: 'number', sentAt: 'number' },
  );
  const remove = sqlite.prepare('delete from responses where call_id = ?');
  let forgotten = 0;
  let last = { id: -1, sentAt: Number.MIN_SAFE_INTEGER };
  for (;;) {
    const calls = next.all({ before, ...last });
    const step = sqlite.transaction(() =>
      calls.reduce((sum, { id }) => sum + remove.run(id).changes, 0),
    );
    forgotten += step();
    const newest = calls.at(-1);
    if (newest === undefined) return forgotten;
    last = newest;
    await clock.sleep(0, signal);
  }
};
