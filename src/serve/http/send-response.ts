import type { Context } from 'hono';
import {
  acceptsGzip,
  replyWith,
  type SentBytes,
  type WrittenResponse,
} from './written-response.ts';

/** A response on its way out. */
export interface Sending {
  readonly written: WrittenResponse;
  /** The service's time, Unix ms. */
  readonly now: number;
  readonly bytes: (gzip: boolean) => SentBytes;
}

/** Sends a response, read just now or before, as its sender takes it. */
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
