import { isoOf } from '../../base/iso.ts';
import { terminalLine } from '../../base/terminal-text.ts';
import type { AlertHit } from '../rules/alert-store.ts';
import type { ShownItem, ShownMessage } from '../webhooks/chat.ts';
import type { Notice } from './conditions.ts';

/** The report of a period. */
export interface ReportMessage {
  readonly type: 'trendlake.report';
  readonly timestamp: string;
  readonly data: {
    /** ISO week or date. */
    readonly period: string;
    readonly tag: string | null;
    readonly headline: string;
    readonly videos: number;
    readonly snapshots: number;
    readonly events: number;
    readonly risers: readonly {
      readonly id: string;
      readonly title: string;
      readonly user: string | null;
      readonly platform: string;
      readonly views: number | null;
      readonly gained: number;
    }[];
    readonly creators: readonly {
      readonly platform: string;
      readonly handle: string;
      readonly followers: number;
      readonly gained: number;
    }[];
  };
}

/** More things than this become a digest: the first of them, and the number of the others. */
const MOST_ITEMS = 10;

/**
 * Problems of the pipeline that began or ended, as a message. Titles, names and errors in it come from
 * outside: no control characters, one line each.
 */
export const messageFor = (notices: readonly Notice[], now: number) => ({
  type: 'trendlake.notice' as const,
  timestamp: isoOf(now),
  data: {
    notices: notices.map(({ kind, subject, sentence, beganAt, endedAt }) => ({
      kind: kind as string,
      subject: terminalLine(subject),
      state: endedAt === null ? ('began' as const) : ('over' as const),
      since: isoOf(beganAt),
      until: endedAt === null ? null : isoOf(endedAt),
      sentence: terminalLine(sentence),
    })),
  },
});
export type NoticeMessage = ReturnType<typeof messageFor>;

const lineOrNull = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? terminalLine(String(value)) : null;

const addressOrNull = (value: unknown): string | null =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : null;

/** Rows of one alert as a message. */
export const messageOfHits = (alert: string, hits: readonly AlertHit[], now: number) => ({
  type: 'trendlake.alert' as const,
  timestamp: isoOf(now),
  data: {
    alert,
    hits: hits.map(({ subject, at, row }) => ({
      subject: terminalLine(subject),
      at: isoOf(at),
      title: lineOrNull(row.title),
      url: addressOrNull(row.url),
      value: typeof row.value === 'number' ? row.value : lineOrNull(row.value),
      row,
    })),
  },
});
export type AlertMessage = ReturnType<typeof messageOfHits>;

/** A message as JSON for programs. `shownMessage` has the same for people. */
export type Message = NoticeMessage | AlertMessage | ReportMessage;

const shownNotices = ({ notices }: NoticeMessage['data']): ShownMessage => {
  const only = notices.length === 1 ? notices[0] : undefined;
  const headline =
    only === undefined
      ? `${notices.length} notices`
      : `${only.kind}${only.subject === '' ? '' : ` ${only.subject}`}${only.state === 'over' ? ' is over' : ''}`;
  const items = notices.map(({ state, sentence, since, until }) => ({
    title: '',
    text: state === 'began' ? `${sentence} (since ${since})` : `Over since ${until}: ${sentence}`,
    url: null,
  }));
  return { headline, items, more: 0 };
};

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** The page of a subject in the dashboard, if it is a video. */
const pageOf = (subject: string, publicUrl: string | undefined): string | null =>
  publicUrl !== undefined && /^(tt|ig|yt)_\S+$/.test(subject)
    ? `${publicUrl}/videos/${encodeURIComponent(subject)}`
    : null;

const shownHits = (
  { alert, hits }: AlertMessage['data'],
  publicUrl: string | undefined,
): ShownMessage => {
  const items = hits.slice(0, MOST_ITEMS).map(({ subject, title, url, value }) => ({
    title: title ?? subject,
    text: value === null ? '' : typeof value === 'number' ? NUMBER.format(value) : value,
    url: url ?? pageOf(subject, publicUrl),
  }));
  const [first] = items;
  const headline =
    hits.length === 1 && first !== undefined
      ? `${alert}: ${first.title}`
      : `${alert}: ${hits.length} rows`;
  return { headline, items, more: hits.length - items.length };
};

const shownReport = (
  { headline, risers, creators }: ReportMessage['data'],
  publicUrl: string | undefined,
): ShownMessage => {
  const items = [
    ...risers.map(({ id, title, gained, views }) => ({
      title,
      text: `+${NUMBER.format(gained)} views${views === null ? '' : `, now ${NUMBER.format(views)}`}`,
      url: pageOf(id, publicUrl),
    })),
    ...creators.map(({ handle, platform, gained, followers }) => ({
      title: `@${handle} (${platform})`,
      text: `+${NUMBER.format(gained)} followers, now ${NUMBER.format(followers)}`,
      url: null,
    })),
  ];
  const more = Math.max(0, items.length - MOST_ITEMS);
  return { headline, items: items.slice(0, MOST_ITEMS), more };
};

/** Pages of the dashboard that show a message. */
const PAGES = {
  'trendlake.notice': '/pipeline',
  'trendlake.alert': '/alerts',
  'trendlake.report': '/trends',
} as const;

const shownOf = (message: Message, publicUrl: string | undefined): ShownMessage => {
  if (message.type === 'trendlake.notice') return shownNotices(message.data);
  if (message.type === 'trendlake.alert') return shownHits(message.data, publicUrl);
  return shownReport(message.data, publicUrl);
};

/**
 * A message for people.
 * @param publicUrl origin of the dashboard
 */
export const shownMessage = (message: Message, publicUrl?: string): ShownMessage => {
  const shown = shownOf(message, publicUrl);
  return publicUrl === undefined ? shown : { ...shown, link: publicUrl + PAGES[message.type] };
};

const itemText = ({ title, text, url }: ShownItem): string =>
  [[title, text].filter((part) => part !== '').join(': '), url]
    .filter((part) => part !== null)
    .join('\n');

/** A message as plain text, without its headline. */
export const plainText = ({ items, more, link }: ShownMessage): string =>
  [
    ...items.map(itemText),
    ...(more === 0 ? [] : [`... and ${more} more`]),
    ...(link === undefined ? [] : [link]),
  ].join('\n\n');
