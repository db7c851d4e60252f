import { gzipSync } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { statement } from '../../lake/statements.ts';
import type { RawResponse } from '../../upstream/client.ts';

/** Stores the gzip'd body of a response for `replay`. Repeating it changes nothing. */
export const storeResponse = (
  lake: Lake,
  callId: number,
  { headers, body }: Pick<RawResponse, 'headers' | 'body'>,
  observedAt: number,
): void => {
  // level 1 packs a page to a sixth, in a third of the time of level 6
  const packed = gzipSync(body, { level: 1 });
  statement(
    lake,
    `insert into responses (call_id, content_type, observed_at, body) values (?, ?, ?, ?)
     on conflict (call_id) do nothing`,
  ).run(callId, headers['content-type'] ?? null, observedAt, packed);
};

/** Takes some tens of milliseconds, after which others may write. */
const CALLS_A_STEP = 500;

/**
 * Removes the stored responses of calls sent before an instant (Unix ms), in short transactions.
 * @returns the number of removed responses
 * @throws the signal's reason when stopped
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
