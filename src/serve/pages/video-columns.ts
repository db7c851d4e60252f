import { html } from 'hono/html';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { Lake } from '../../lake/open.ts';
import { videoSpark } from './chart.ts';
import {
  type Column,
  countColumn,
  fileColumn,
  instantColumn,
  rankColumn,
  textInFiles,
} from './data-table.ts';
import { PLATFORM_NAMES, pace, rate, shownRateOf } from './figures.ts';
import type { Html } from './html.ts';
import { creatorPath, linkTo, type PageView, videoPath } from './page-view.ts';

export const videoCell = (
  view: PageView,
  { id, title, user, platform }: Pick<ContentItem, 'id' | 'title' | 'user' | 'platform'>,
): Html =>
  html`<a class="title" dir="auto" href="${linkTo(view, videoPath(id))}" title="${title ?? ''}">${title || id}</a>${
    user === null || user === ''
      ? html`<span class="one soft small">unknown creator</span>`
      : html`<a class="one soft small" dir="auto" href="${linkTo(view, creatorPath(platform, user))}">${user}</a>`
  }`;

export interface VideoColumnOptions {
  /** Source of the growth column. Absent: no such column. */
  readonly lake?: Lake;
  /** Shows the platform of each video. */
  readonly isMixed?: boolean;
}

/** Columns of a list of videos. Files have more columns than the page. */
export const videoColumns = ({
  lake,
  isMixed = false,
}: VideoColumnOptions = {}): Column<ContentItem>[] => [
  rankColumn(({ rank }) => rank),
  textInFiles('id', ({ id }) => id),
  {
    name: 'title',
    title: 'video',
    show: (item, view) => videoCell(view, item),
    field: { type: 'UTF8', of: ({ title }) => title },
  },
  {
    ...textInFiles<ContentItem>('platform', ({ platform }) => platform),
    ...(isMixed
      ? { show: ({ platform }: ContentItem) => PLATFORM_NAMES[platform], hide: 'tablet' as const }
      : {}),
  },
  textInFiles('user', ({ user }) => user),
  ...(lake === undefined
    ? []
    : [
        {
          name: 'growth',
          title: 'growth',
          hide: 'phone' as const,
          show: ({ id }: ContentItem, { at }: PageView) => videoSpark(lake, id, at),
        },
      ]),
  countColumn({ name: 'views', title: 'views', of: ({ views }) => views }),
  {
    name: 'velocity',
    title: 'per hour',
    isNumber: true,
    show: ({ velocity }) =>
      html`<span class="${(velocity ?? 0) < 0 ? 'down' : 'up'}">${pace(velocity)}</span>`,
    field: { type: 'DOUBLE', of: ({ velocity }) => velocity ?? null },
  },
  countColumn({ name: 'likes', title: 'likes', hide: 'tablet', of: ({ likes }) => likes }),
  {
    name: 'engagement_rate',
    title: 'engagement',
    isNumber: true,
    hide: 'tablet',
    show: (video) => rate(shownRateOf(video)),
    field: { type: 'DOUBLE', of: ({ engagementRate }) => engagementRate },
  },
  instantColumn({
    name: 'created_at',
    title: 'published',
    hide: 'phone',
    of: ({ createdAt }) => (createdAt === null ? null : Date.parse(createdAt)),
  }),
  fileColumn('engagement_rate_shown', 'DOUBLE', shownRateOf),
  textInFiles('hashtags', ({ hashtags }) => (hashtags ?? []).join(' ')),
  fileColumn('score', 'DOUBLE', ({ score }) => score ?? null),
];
