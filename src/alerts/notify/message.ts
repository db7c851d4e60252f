import { isoOf } from '../../base/iso.ts';
import { terminalLine } from '../../base/terminal-text.ts';
import type { ShownItem, ShownMessage } from '../webhooks/chat.ts';
import type { Notice } from './conditions.ts';

/** Problems of the pipeline that began or ended. */
export interface NoticeMessage {
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

/** Rows of one alert that fired together. */
export interface AlertMessage {
  readonly type: 'trendlake.alert';
  readonly timestamp: string;
  readonly data: {
    readonly alert: string;
    readonly hits: readonly {
      readonly subject: string;
      readonly at: string;
      readonly title: string | null;
      readonly url: string | null;
      readonly value: string | number | null;
      readonly row: Readonly<Record<string, unknown>>;
    }[];
  };
}

/** A message as JSON for programs. `shownMessage` has the same for people. */
export type Message = NoticeMessage | AlertMessage;

/** More things than this become a digest: the first of them, and the number of the others. */
const MOST_ITEMS = 10;

/** Titles, names and errors in it come from outside: no control characters, one line each. */
export const messageFor = (notices: readonly Notice[], now: number): NoticeMessage => ({
  type: 'trendlake.notice',
  timestamp: isoOf(now),
  data: {
    notices: notices.map(({ kind, subject, sentence, beganAt, endedAt }) => ({
      kind,
      subject: terminalLine(subject),
      state: endedAt === null ? 'began' : 'over',
      since: isoOf(beganAt),
      until: endedAt === null ? null : isoOf(endedAt),
      sentence: terminalLine(sentence),
    })),
  },
});

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

/** Pages of the dashboard that show a message. */
const PAGES = { 'trendlake.notice': '/pipeline', 'trendlake.alert': '/alerts' } as const;

/**
 * A message for people.
 * @param publicUrl origin of the dashboard
 */
export const shownMessage = (message: Message, publicUrl?: string): ShownMessage => {
  const shown =
    message.type === 'trendlake.notice'
      ? shownNotices(message.data)
      : shownHits(message.data, publicUrl);
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
