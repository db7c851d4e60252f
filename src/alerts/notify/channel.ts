import { createHash } from 'node:crypto';
import { childEnvironment } from '../../base/child-environment.ts';
import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import { hiding } from '../../base/hidden-forms.ts';
import { proxyIn } from '../../base/proxy.ts';
import { runShellCommand } from '../../base/shell-command.ts';
import { type ChatTarget, chatLetter, chatTarget, quietMs } from '../webhooks/chat.ts';
import { HttpPoster } from '../webhooks/post.ts';
import type { WebhookSecrets } from '../webhooks/secrets.ts';
import { signatureHeaders } from '../webhooks/signature.ts';
import { readTarget } from '../webhooks/target.ts';
import type { MailParts } from './mail.ts';
import { type Message, plainText, shownMessage } from './message.ts';

/** Under which id the secret of notices lies among those of webhooks. */
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

/** Posts to a chat service, a second time after a short quiet that it asks for. */
const byChat = async (
  chat: ChatTarget,
  message: Message,
  { clock, env, publicUrl }: ChannelDeps,
  signal: AbortSignal,
): Promise<void> => {
  const target = readTarget(chat.url, true);
  const poster = new HttpPoster({ clock, proxy: proxyIn(env) });
  const letter = {
    url: target.href,
    loopback: target.protocol === 'http:',
    ...chatLetter(chat, shownMessage(message, publicUrl)),
  };
  try {
    const first = await poster.post(letter, signal);
    const waitMs = quietMs(first);
    if (waitMs !== undefined) await clock.sleep(waitMs, signal);
    const { error } = waitMs === undefined ? first : await poster.post(letter, signal);
    if (error !== null) throw new Error(error);
  } finally {
    await poster.close();
  }
};

const byWebhook = async (
  url: string,
  message: Message,
  { clock, secrets, env }: ChannelDeps,
  signal: AbortSignal,
): Promise<void> => {
  const target = readTarget(url, true);
  const now = clock.now();
  const body = JSON.stringify(message);
  if (secrets.signing(NOTIFY_ID, now).length === 0) secrets.rotate(NOTIFY_ID, now);
  const poster = new HttpPoster({ clock, proxy: proxyIn(env) });
  try {
    const letter = {
      url: target.href,
      loopback: target.protocol === 'http:',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'trendlake-webhooks',
        ...signatureHeaders(messageId(message, now), now, body, secrets.signing(NOTIFY_ID, now)),
      },
    };
    const { error } = await poster.post(letter, signal);
    if (error !== null) throw new Error(error);
  } finally {
    await poster.close();
  }
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
  readonly secrets: WebhookSecrets;
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
    const chat = chatTarget(channel);
    if (chat !== undefined) await byChat(chat, message, deps, signal);
    else if (/^https?:/.test(channel)) await byWebhook(channel, message, deps, signal);
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
