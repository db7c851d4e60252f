import { retryAfterMs } from '../../base/retry-after.ts';
import type { DeliveryAttempt } from './post.ts';

/** One thing of a message. `url` is http or https, or null. */
export interface ShownItem {
  readonly title: string;
  readonly text: string;
  readonly url: string | null;
}

/** A message for people. */
export interface ShownMessage {
  readonly headline: string;
  readonly items: readonly ShownItem[];
  /** Items that are not shown. */
  readonly more: number;
  /** Page with everything, if the dashboard has an address. */
  readonly link?: string | undefined;
}

export type ChatService = 'slack' | 'discord' | 'teams';

interface ChatRules {
  /** Hosts of its incoming webhooks. */
  readonly hosts: RegExp;
  /** Shortest time between two messages to one address. */
  readonly everyMs: number;
  readonly body: (message: ShownMessage) => unknown;
}

/** At most `most` UTF-16 units, without half a character. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;

const moreText = ({ more }: ShownMessage): string[] => (more === 0 ? [] : [`… and ${more} more`]);

/** Cut before they are escaped, which multiplies lengths by at most 5, so that links stay whole. */
const LONGEST_TITLE = 150;
const LONGEST_TEXT = 1400;
const LONGEST_TEXT_BESIDE_LINK = 200;
/** As encoded. */
const LONGEST_URL = 1000;

interface Markup {
  escape(text: string): string;
  link(title: string, url: string): string;
}

const itemMarkup = ({ title, text, url }: ShownItem, markup: Markup): string => {
  const name = markup.escape(cut(title, LONGEST_TITLE));
  const linked = url === null ? name : markup.link(name || 'open', url);
  const isLink = url !== null && linked.length - name.length <= LONGEST_URL;
  const most = isLink ? LONGEST_TEXT_BESIDE_LINK : LONGEST_TEXT;
  return [isLink ? linked : name, markup.escape(cut(text, most))]
    .filter((part) => part !== '')
    .join(': ');
};

/** As many whole lines as fit, and the number of the others. */
const fitting = (lines: readonly string[], most: number): { lines: string[]; left: number } => {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 2;
    if (length > most) break;
    kept.push(line);
  }
  return { lines: kept, left: lines.length - kept.length };
};

const shownLines = (message: ShownMessage, markup: Markup, most: number): string[] => {
  const all = message.items.map((item) => itemMarkup(item, markup));
  const { lines, left } = fitting(all, most);
  const { link } = message;
  return [
    ...lines,
    ...moreText({ ...message, more: message.more + left }),
    ...(link === undefined ? [] : [markup.link('Open the dashboard', link)]),
  ];
};

const encoded = (url: string): string =>
  new URL(url).href.replace(/[()|<>]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);

const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const SLACK: Markup = {
  escape: escapeSlack,
  link: (title, url) => `<${escapeSlack(encoded(url))}|${title}>`,
};
const SLACK_HEADER = 150;
const SLACK_SECTION = 3000;

const MARKDOWN: Markup = {
  escape: (text) => text.replace(/[\\`*_~|[\]()<>#]/g, (character) => `\\${character}`),
  link: (title, url) => `[${title}](${encoded(url)})`,
};
const DISCORD_TITLE = 256;
const DISCORD_DESCRIPTION = 4096;
/** UTF-16 units; Teams takes 28 KB. */
const TEAMS_TEXT = 6000;
/** Room for the number of others and the link. */
const LAST_LINES = 1100;

/** Leaves no half of an escaped character. */
const cutSlack = (text: string): string => cut(text, SLACK_SECTION).replace(/&[a-z]*…$/, '…');

/** Rules of each service; test/alerts/webhooks/chat-receivers.ts has their sources. */
const SERVICES: Readonly<Record<ChatService, ChatRules>> = {
  slack: {
    hosts: /^hooks\.slack(-gov)?\.com$/,
    everyMs: 1000,
    body: (message) => ({
      text: SLACK.escape(cut(message.headline, SLACK_HEADER)),
      blocks: [
        {
          type: 'header',
          text: { type: 'plain_text', text: cut(message.headline, SLACK_HEADER), emoji: false },
        },
        ...shownLines(message, SLACK, 9000).map((text) => ({
          type: 'section',
          text: { type: 'mrkdwn', text: cutSlack(text), verbatim: true },
        })),
      ],
    }),
  },
  discord: {
    hosts: /^((ptb|canary)\.)?discord(app)?\.com$/,
    everyMs: 400,
    body: (message) => ({
      embeds: [
        {
          title: cut(message.headline, DISCORD_TITLE),
          description: shownLines(message, MARKDOWN, DISCORD_DESCRIPTION - LAST_LINES).join('\n\n'),
        },
      ],
      allowed_mentions: { parse: [] },
    }),
  },
  teams: {
    hosts: /\.(webhook\.office\.com|logic\.azure\.com|api\.powerplatform\.com)$/,
    everyMs: 250,
    body: (message) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              {
                type: 'TextBlock',
                size: 'Medium',
                weight: 'Bolder',
                wrap: true,
                text: MARKDOWN.escape(cut(message.headline, 256)),
              },
              ...shownLines(message, MARKDOWN, TEAMS_TEXT).map((text) => ({
                type: 'TextBlock',
                wrap: true,
                text,
              })),
            ],
          },
        },
      ],
    }),
  },
};

const NAMES = Object.keys(SERVICES) as ChatService[];

/** An incoming webhook of a chat service. */
export interface ChatTarget {
  readonly service: ChatService;
  readonly url: string;
  /** Shortest time between two messages. */
  readonly everyMs: number;
}

/** The chat service of an address: by its prefix, such as `slack+`, or by its host. */
export const chatTarget = (address: string): ChatTarget | undefined => {
  const [, prefix, rest] = /^(slack|discord|teams)\+(https?:.*)$/i.exec(address) ?? [];
  const url = rest ?? address;
  const host = URL.parse(url)?.hostname ?? '';
  const service = NAMES.find((name) =>
    prefix === undefined ? SERVICES[name].hosts.test(host) : name === prefix.toLowerCase(),
  );
  return service === undefined ? undefined : { service, url, everyMs: SERVICES[service].everyMs };
};

/** The origin of an address. The rest may hold a secret. */
export const targetOrigin = (address: string): string =>
  new URL(chatTarget(address)?.url ?? address).origin;

/** A message in the format of a chat service. */
export const chatLetter = (
  { service }: ChatTarget,
  message: ShownMessage,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } => ({
  body: JSON.stringify(SERVICES[service].body(message)),
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'trendlake-webhooks',
  },
});

/** Longest quiet that is waited for at once; longer ones are tried again after the next run. */
const LONGEST_QUIET_MS = 10_000;

/** Time to wait before a second attempt, where a service asked for a short quiet. */
export const quietMs = ({ status, retryAfter, at }: DeliveryAttempt): number | undefined => {
  const waitMs = status === 429 ? (retryAfterMs(retryAfter, at) ?? 1000) : undefined;
  return waitMs === undefined || waitMs > LONGEST_QUIET_MS ? undefined : waitMs;
};
