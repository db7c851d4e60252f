import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { isoOf } from '../iso.ts';
import { HttpPoster } from '../webhooks/post.ts';
import type { WebhookSecrets } from '../webhooks/secrets.ts';
import { signatureHeaders } from '../webhooks/signature.ts';
import { readTarget } from '../webhooks/target.ts';
import type { Notice } from './conditions.ts';

/** Under which id the secret of notices lies among those of webhooks. */
export const NOTIFY_ID = 'notify';
const COMMAND_TIMEOUT_MS = 30_000;
const MAIL_TIMEOUT_MS = 30_000;

/** Notices as every channel sends them. */
export interface Message {
  readonly type: 'trendlake.notice';
  readonly timestamp: string;
  readonly data: {
    readonly notices: readonly {
      readonly kind: string;
      readonly subject: string;
      readonly state: 'began' | 'over';
      readonly since: string;
      readonly until: string | null;
      readonly sentence: string;
    }[];
  };
}

export const messageFor = (notices: readonly Notice[], now: number): Message => ({
  type: 'trendlake.notice',
  timestamp: isoOf(now),
  data: {
    notices: notices.map(({ kind, subject, sentence, beganAt, endedAt }) => ({
      kind,
      subject,
      state: endedAt === null ? 'began' : 'over',
      since: isoOf(beganAt),
      until: endedAt === null ? null : isoOf(endedAt),
      sentence,
    })),
  },
});

const asText = ({ data }: Message): string =>
  data.notices
    .map(({ state, sentence, since, until }) =>
      state === 'began' ? `${sentence} (since ${since})` : `Over since ${until}: ${sentence}`,
    )
    .join('\n\n');

const byWebhook = async (
  url: string,
  message: Message,
  { clock, secrets }: { clock: Clock; secrets: WebhookSecrets },
): Promise<void> => {
  const target = readTarget(url, true);
  const now = clock.now();
  const body = JSON.stringify(message);
  if (secrets.signing(NOTIFY_ID, now).length === 0) secrets.rotate(NOTIFY_ID, now);
  const poster = new HttpPoster({ clock });
  try {
    const { error } = await poster.post({
      url: target.href,
      loopback: target.protocol === 'http:',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'trendlake-webhooks',
        ...signatureHeaders(`notice_${now}`, now, body, secrets.signing(NOTIFY_ID, now)),
      },
    });
    if (error !== null) throw new Error(error);
  } finally {
    await poster.close();
  }
};

/** `smtp(s)://user:password@host:port/?from=a@b&to=c@d` */
const byMail = async (address: string, message: Message): Promise<void> => {
  const url = new URL(address);
  const { createTransport } = await import('nodemailer');
  const { notices } = message.data;
  const transport = createTransport({
    host: url.hostname,
    port: url.port === '' ? (url.protocol === 'smtps:' ? 465 : 587) : Number(url.port),
    secure: url.protocol === 'smtps:',
    ...(url.username === ''
      ? {}
      : {
          auth: {
            user: decodeURIComponent(url.username),
            pass: decodeURIComponent(url.password),
          },
        }),
    connectionTimeout: MAIL_TIMEOUT_MS,
    greetingTimeout: MAIL_TIMEOUT_MS,
    socketTimeout: MAIL_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const to = url.searchParams.get('to') ?? '';
  const only = notices.length === 1 ? notices[0] : undefined;
  await transport.sendMail({
    from: url.searchParams.get('from') ?? to,
    to,
    subject:
      only === undefined
        ? `trendlake: ${notices.length} notices`
        : `trendlake: ${only.kind}${only.subject === '' ? '' : ` ${only.subject}`}${only.state === 'over' ? ' is over' : ''}`,
    text: asText(message),
  });
  transport.close();
};

/** Runs a command with the message as JSON on its input. */
const byCommand = async (
  command: string,
  message: Message,
  { env }: { env: NodeJS.ProcessEnv },
): Promise<void> => {
  const child = spawn(command, {
    shell: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: COMMAND_TIMEOUT_MS,
    env: { ...env, TRENDLAKE_NOTICE: asText(message), TRENDLAKE_API_KEY: undefined },
  });
  child.stdin?.on('error', () => undefined); // one that reads nothing is free not to
  child.stdin?.end(JSON.stringify(message));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0) throw new Error(`the command ended with ${signal ?? `exit code ${code}`}`);
};

/** What sending needs of the world. */
export interface ChannelDeps {
  readonly clock: Clock;
  readonly secrets: WebhookSecrets;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Sends a message where `TRENDLAKE_NOTIFY` says: a webhook, an e-mail or a command.
 * @returns undefined when it was taken, else why not, without the address: it may hold a password
 */
export const sendTo = async (
  channel: string,
  message: Message,
  deps: ChannelDeps,
): Promise<string | undefined> => {
  try {
    if (/^https?:/.test(channel)) await byWebhook(channel, message, deps);
    else if (/^smtps?:/.test(channel)) await byMail(channel, message);
    else await byCommand(channel, message, deps);
    return undefined;
  } catch (error) {
    return messageOf(error).replaceAll(channel, '[hidden]');
  }
};
