import { gzipSync } from 'node:zlib';
import type { RawResponse } from '../api/client.ts';
import type { Lake } from '../lake/open.ts';
import { statement } from '../lake/statements.ts';

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

/** Removes the stored responses of calls made before an instant. @returns how many */
export const forgetResponses = ({ sqlite }: Lake, before: number): number =>
  sqlite
    .prepare('delete from responses where call_id in (select id from calls where sent_at < ?)')
    .run(before).changes;
