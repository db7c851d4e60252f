import { html } from 'hono/html';
import type { TimelinePoint } from '../../history/timeline.ts';
import type { ContentItem } from '../../wire/shapes.ts';
import type { Column } from './data-table.ts';
import { count, PLATFORM_NAMES, pace, rate, since } from './figures.ts';
import type { Html } from './html.ts';
import { creatorPath, linkTo, type PageView, videoPath } from './page-view.ts';
import { spark } from './spark.ts';

/** A video's title over its creator, each a link to its page. */
export const videoCell = (
  view: PageView,
  { id, title, user, platform }: Pick<ContentItem, 'id' | 'title' | 'user' | 'platform'>,
): Html =>
  html`<a class="title" dir="auto" href="${linkTo(view, videoPath(id))}" title="${title ?? ''}">${title || id}</a>${
    user === null || user === ''
      ? html`<span class="one soft small">unknown creator</span>`
      : html`<a class="one soft small" dir="auto" href="${linkTo(view, creatorPath(platform, user))}">${user}</a>`
  }`;

const createdAt = ({ createdAt: at }: ContentItem): number | null =>
  at === null ? null : Date.parse(at);

/** What the columns of a list of videos are made for. */
export interface VideoColumnsWish {
  readonly view: PageView;
  /** How a video grew, for the line beside it; without it there is no such column. */
  readonly timelineOf?: (id: string) => readonly TimelinePoint[];
  /** Videos of several platforms: each says which. */
  readonly isMixed?: boolean;
}

/** The columns of a list of videos: on the page the telling ones, in files all that is known. */
export const videoColumns = ({
  view,
  timelineOf,
  isMixed = false,
}: VideoColumnsWish): Column<ContentItem>[] => [
  {
    name: 'rank',
    title: '#',
    isNumber: true,
    show: ({ rank }) => html`<span class="soft">${rank ?? ''}</span>`,
    field: { type: 'INT64', of: ({ rank }) => rank ?? null },
  },
  { name: 'id', title: 'id', field: { type: 'UTF8', of: ({ id }) => id } },
  {
    name: 'title',
    title: 'video',
    show: (item) => videoCell(view, item),
    field: { type: 'UTF8', of: ({ title }) => title },
  },
  {
    name: 'platform',
    title: 'platform',
    field: { type: 'UTF8', of: ({ platform }) => platform },
    ...(isMixed
      ? { show: ({ platform }: ContentItem) => PLATFORM_NAMES[platform], hide: 'tablet' as const }
      : {}),
  },
  { name: 'user', title: 'creator', field: { type: 'UTF8', of: ({ user }) => user } },
  ...(timelineOf === undefined
    ? []
    : [
        {
          name: 'growth',
          title: 'growth',
          show: ({ id }: ContentItem) => spark(timelineOf(id)),
        },
      ]),
  {
    name: 'views',
    title: 'views',
    isNumber: true,
    show: ({ views }) => count(views),
    field: { type: 'INT64', of: ({ views }) => views },
  },
  {
    name: 'velocity',
    title: 'per hour',
    isNumber: true,
    show: ({ velocity }) =>
      html`<span class="${(velocity ?? 0) < 0 ? 'down' : 'up'}">${pace(velocity)}</span>`,
    field: { type: 'DOUBLE', of: ({ velocity }) => velocity ?? null },
  },
  {
    name: 'likes',
    title: 'likes',
    isNumber: true,
    hide: 'tablet',
    show: ({ likes }) => count(likes),
    field: { type: 'INT64', of: ({ likes }) => likes },
  },
  {
    name: 'engagement_rate',
    title: 'engagement',
    isNumber: true,
    hide: 'tablet',
    show: ({ engagementRate }) => rate(engagementRate),
    field: { type: 'DOUBLE', of: ({ engagementRate }) => engagementRate },
  },
  {
    name: 'created_at',
    title: 'published',
    isNumber: true,
    hide: 'phone',
    show: (item) => {
      const at = createdAt(item);
      return at === null ? html`<span class="soft">–</span>` : since(at, view.at);
    },
    field: { type: 'TIMESTAMP_MILLIS', of: createdAt },
  },
  {
    name: 'hashtags',
    title: 'hashtags',
    field: { type: 'UTF8', of: ({ hashtags }) => (hashtags ?? []).join(' ') },
  },
  { name: 'score', title: 'score', field: { type: 'DOUBLE', of: ({ score }) => score ?? null } },
];
