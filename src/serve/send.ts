import type { Context } from 'hono';
import { acceptsGzip, replyWith, type SentBytes, type WrittenAnswer } from './answer.ts';

/** An answer on its way out. */
export interface Sending {
  readonly written: WrittenAnswer;
  /** The service's time, Unix ms. */
  readonly now: number;
  readonly bytes: (gzip: boolean) => SentBytes;
}

/** Sends an answer, read just now or before, as its sender takes it. */
export const sendAnswer = ({ req }: Context, { written, now, bytes }: Sending): Response => {
  const gzip = acceptsGzip(req.header('accept-encoding'));
  const accepts = { ifNoneMatch: req.header('if-none-match'), gzip };
  const { body, ...rest } = replyWith(written, now, accepts, () => bytes(gzip));
  return new Response(body, rest);
};
