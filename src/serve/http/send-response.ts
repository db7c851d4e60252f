import type { Context } from 'hono';
import { type ContentCoding, codingFor } from './coding.ts';
import { replyWith, type SentBytes, type WrittenResponse } from './written-response.ts';

export interface Sending {
  readonly written: WrittenResponse;
  /** The service's time, Unix ms. */
  readonly now: number;
  readonly bytes: (coding: ContentCoding | null) => SentBytes;
}

/** Sends a response: 304 or compressed if the request allows it. */
export const sendResponse = ({ req }: Context, { written, now, bytes }: Sending): Response => {
  const coding = codingFor(req.header('accept-encoding'));
  const accepts = {
    ifNoneMatch: req.header('if-none-match'),
    ifModifiedSince: req.header('if-modified-since'),
  };
  const { body, ...rest } = replyWith(written, now, accepts, () => bytes(coding));
  return new Response(body, rest);
};
