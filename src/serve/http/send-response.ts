import type { Context } from 'hono';
import {
  acceptsGzip,
  replyWith,
  type SentBytes,
  type WrittenResponse,
} from './written-response.ts';

export interface Sending {
  readonly written: WrittenResponse;
  /** The service's time, Unix ms. */
  readonly now: number;
  readonly bytes: (gzip: boolean) => SentBytes;
}

/** Sends a response: 304 or compressed if the request allows it. */
export const sendResponse = ({ req }: Context, { written, now, bytes }: Sending): Response => {
  const gzip = acceptsGzip(req.header('accept-encoding'));
  const accepts = {
    ifNoneMatch: req.header('if-none-match'),
    ifModifiedSince: req.header('if-modified-since'),
    gzip,
  };
  const { body, ...rest } = replyWith(written, now, accepts, () => bytes(gzip));
  return new Response(body, rest);
};
