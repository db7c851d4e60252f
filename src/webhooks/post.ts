import type { Agent } from 'undici';
import { request } from 'undici';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { guardedAgent, type Reach, type Resolve } from './target.ts';

const MAX_ANSWER_BYTES = 65_536;
const KEPT_ANSWER_CHARACTERS = 1024;
/** Longest wait for an answer, headers and body. */
const ATTEMPT_TIMEOUT_MS = 15_000;

/** What came of one attempt. `status` is null when no answer came. */
export interface Attempt {
  readonly at: number; // Unix ms
  readonly durationMs: number;
  readonly status: number | null;
  readonly retryAfter: string | null;
  /** What was answered, at most 1 KiB of the 64 KiB that are read. */
  readonly answer: string | null;
  /** Why it failed, in words; null when delivered. */
  readonly error: string | null;
}

export interface Letter {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly loopback: boolean;
}

/** Posts letters. One for a sender's lifetime. */
export interface Poster {
  post(letter: Letter, signal?: AbortSignal): Promise<Attempt>;
  close(): Promise<void>;
}

/** Reads what little of an answer is kept; an endless one is cut, not waited for. */
const readAnswer = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MAX_ANSWER_BYTES) break;
  }
  const read = Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES);
  return read.toString('utf8').slice(0, KEPT_ANSWER_CHARACTERS);
};

const causeOf = (error: unknown): string => {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  return messageOf(cause);
};

const failureOf = (status: number): string | null => {
  if (status >= 200 && status <= 299) return null;
  return status >= 300 && status <= 399
    ? `answered ${status}, a redirect; redirects are not followed: subscribe the final address`
    : `answered ${status}; only 200 to 299 count as received`;
};

interface PostDeps {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly dispatcher: Agent;
}

const postOnce = async (
  { clock, timeoutMs, dispatcher }: PostDeps,
  { url, headers, body: letter }: Letter,
  signal: AbortSignal | undefined,
): Promise<Attempt> => {
  const at = clock.now();
  const startedAt = clock.monotonic();
  const deadline = AbortSignal.timeout(timeoutMs);
  const done = (rest: Pick<Attempt, 'status' | 'retryAfter' | 'answer' | 'error'>): Attempt => ({
    at,
    durationMs: Math.round(clock.monotonic() - startedAt),
    ...rest,
  });
  try {
    const answered = await request(url, {
      method: 'POST',
      headers,
      body: letter,
      dispatcher,
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    const answer = await readAnswer(answered.body).catch(() => null); // the status has decided already
    const retryAfter = answered.headers['retry-after'];
    return done({
      status: answered.statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      answer,
      error: failureOf(answered.statusCode),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    const why = deadline.aborted ? `no answer within ${timeoutMs} ms` : causeOf(error);
    return done({ status: null, retryAfter: null, answer: null, error: why });
  }
};

/** A poster over guarded connections. `resolve` stands in for the system's resolver in tests. */
export const createPoster = ({
  clock,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
  resolve,
}: {
  clock: Clock;
  timeoutMs?: number;
  resolve?: Resolve;
}): Poster => {
  const options = { timeoutMs, ...(resolve === undefined ? {} : { resolve }) };
  const reaching: Record<Reach, Agent> = {
    public: guardedAgent('public', options),
    loopback: guardedAgent('loopback', options),
  };
  return {
    post: (letter, signal) => {
      const dispatcher = reaching[letter.loopback ? 'loopback' : 'public'];
      return postOnce({ clock, timeoutMs, dispatcher }, letter, signal);
    },
    close: async () => {
      await Promise.all([reaching.public.destroy(), reaching.loopback.destroy()]);
    },
  };
};
