import { createHash } from 'node:crypto';
import { childEnvironment } from '../../base/child-environment.ts';
import type { Clock } from '../../base/clock.ts';
import { targetsIn } from '../../base/config/notify-targets.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import { hiding } from '../../base/hidden-forms.ts';
import { proxyIn } from '../../base/proxy.ts';
import { runShellCommand } from '../../base/shell-command.ts';
import type { Lake } from '../../lake/open.ts';
import { type ChatTarget, chatLetter, chatTarget, quietMs } from '../webhooks/chat.ts';
import type { Letter } from '../webhooks/guarded-connections.ts';
import { HttpPoster } from '../webhooks/post.ts';
import { signedLetter } from '../webhooks/signature.ts';
import { secretsOf } from '../webhooks/subscriptions.ts';
import { readTarget } from '../webhooks/target.ts';
import type { MailParts } from './mail.ts';
import { type Message, plainText, shownMessage } from './message.ts';

/** Names a target in the lake without its secrets. */
const targetId = (target: string): string =>
  `notify:${createHash('sha256').update(target).digest('hex').slice(0, 16)}`;

/** Targets of `TRENDLAKE_NOTIFY` by id. */
export const notifyTargetsById = (notify: string | undefined): Map<string, string> =>
  new Map(
    (notify === undefined ? [] : targetsIn(notify)).map((target) => [targetId(target), target]),
  );

/** Id of the secret of notices among those of webhooks. */
export const NOTIFY_ID = 'notify';
/** Longest wait for a receiver, whatever it is. */
const TIMEOUT_MS = 30 * SECOND_MS;
/** Linux starts no command with a variable of more than 128 KiB. */
const LONGEST_VARIABLE = 32_000;

/** Messages of one instant have different ids. */
const messageId = (message: Message, now: number): string =>
  message.type === 'trendlake.notice'
    ? `notice_${now}`
    : `${message.type.slice('trendlake.'.length)}_${now}_${createHash('sha256').update(JSON.stringify(message.data)).digest('hex').slice(0, 12)}`;

/** Body and headers of a message: in the format of a chat service, or signed for a webhook. */
const letterOf = (
  chat: ChatTarget | undefined,
  message: Message,
  { clock, lake, publicUrl }: ChannelDeps,
): Pick<Letter, 'body' | 'headers'> => {
  if (chat !== undefined) return chatLetter(chat, shownMessage(message, publicUrl));
  const now = clock.now();
  using secrets = secretsOf(lake);
  if (secrets.signing(NOTIFY_ID, now).length === 0) secrets.rotate(NOTIFY_ID, now);
  const signing = secrets.signing(NOTIFY_ID, now);
  return signedLetter(messageId(message, now), now, JSON.stringify(message), signing);
};

/** Posts to a webhook or a chat service, which may ask for a short quiet before a second attempt. */
const byPost = async (
  channel: string,
  message: Message,
  deps: ChannelDeps,
  signal: AbortSignal,
): Promise<void> => {
  const { clock, env } = deps;
  const chat = chatTarget(channel);
  const { href: url, protocol } = readTarget(chat?.url ?? channel, true);
  const letter = { url, loopback: protocol === 'http:', ...letterOf(chat, message, deps) };
  await using poster = new HttpPoster({ clock, proxy: proxyIn(env) });
  let attempt = await poster.post(letter, signal);
  const waitMs = chat === undefined ? undefined : quietMs(attempt);
  if (waitMs !== undefined) {
    await clock.sleep(waitMs, signal);
    attempt = await poster.post(letter, signal);
  }
  if (attempt.error !== null) throw new Error(attempt.error);
};

/** Runs a command with the message as JSON on its input. */
const byCommand = (
  command: string,
  message: Message,
  { env, publicUrl }: ChannelDeps,
  signal: AbortSignal,
): Promise<void> =>
  runShellCommand(command, {
    input: JSON.stringify(message),
    env: {
      ...childEnvironment(env),
      TRENDLAKE_NOTICE: plainText(shownMessage(message, publicUrl)).slice(0, LONGEST_VARIABLE),
    },
    signal,
  });

/** Password of an address; '' without one. */
const passwordIn = (channel: string): string => {
  const password = URL.parse(channel)?.password ?? '';
  return URL.canParse(channel) ? decodeURIComponent(password) : '';
};

/** Dependencies of sending. */
export interface ChannelDeps {
  readonly clock: Clock;
  readonly lake: Lake;
  readonly env: NodeJS.ProcessEnv;
  /** Gives up at once. */
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** Origin of the dashboard, for links. */
  readonly publicUrl?: string | undefined;
}

/**
 * Sends a message to one target: a chat service, a webhook, an e-mail or a command.
 * @param mail for mails that are more than a list
 * @returns undefined when it was taken, else why not, without the address: it may hold a password
 * @throws (rejects) the signal's reason
 */
export const sendTo = async (
  channel: string,
  message: Message,
  deps: ChannelDeps,
  mail?: MailParts,
): Promise<string | undefined> => {
  const { signal: stopping, timeoutMs = TIMEOUT_MS } = deps;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([stopping, deadline]);
  try {
    if (chatTarget(channel) !== undefined || /^https?:/.test(channel))
      await byPost(channel, message, deps, signal);
    else if (/^smtps?:/.test(channel)) {
      const { sendMail } = await import('./mail.ts'); // hono and nodemailer take time to load
      await sendMail(channel, shownMessage(message, deps.publicUrl), mail, signal);
    } else await byCommand(channel, message, deps, signal);
    return undefined;
  } catch (error) {
    stopping.throwIfAborted();
    if (deadline.aborted) return `it took longer than ${timeoutMs / SECOND_MS} s and was ended`;
    const hide = hiding(passwordIn(channel));
    const { url = channel } = chatTarget(channel) ?? {};
    return hide(messageOf(error)).replaceAll(channel, '[hidden]').replaceAll(url, '[hidden]');
  }
};
