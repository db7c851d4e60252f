import { html } from 'hono/html';
import { DAY_MS } from '../../durations.ts';
import type { ListedCreator } from '../../history/creator-lists.ts';
import type { Column } from './data-table.ts';
import { change, count, direction, number, PLATFORM_NAMES, since } from './figures.ts';
import { creatorPath, linkTo, type PageView } from './page-view.ts';

/** A creator and where it stands in its list. */
export type RankedCreator = ListedCreator & { readonly place: number };

/** Followers gained a day, with their sign. */
export const gained = (perDay: number | null): string =>
  perDay === null ? '–' : `${perDay < 0 ? '−' : '+'}${number(Math.abs(Math.round(perDay)))}`;

/** The columns of a list of creators. */
export const creatorColumns = (view: PageView): Column<RankedCreator>[] => [
  {
    name: 'rank',
    title: '#',
    isNumber: true,
    show: ({ place }) => html`<span class="soft">${place}</span>`,
    field: { type: 'INT64', of: ({ place }) => place },
  },
  {
    name: 'platform',
    title: 'platform',
    field: { type: 'UTF8', of: ({ platform }) => platform },
  },
  {
    name: 'handle',
    title: 'creator',
    show: ({ platform, handle }) =>
      html`<a class="title" dir="auto" href="${linkTo(view, creatorPath(platform, handle))}">${handle}</a><span class="one soft small">${PLATFORM_NAMES[platform]}</span>`,
    field: { type: 'UTF8', of: ({ handle }) => handle },
  },
  {
    name: 'followers',
    title: 'followers',
    isNumber: true,
    show: ({ followers }) => count(followers),
    field: { type: 'INT64', of: ({ followers }) => followers },
  },
  {
    name: 'change',
    title: 'in a week',
    isNumber: true,
    show: ({ change: value, observedAt, observedBefore }) =>
      html`<span class="${direction(value)}"${observedBefore === null ? html` title="not known: not counted a week before"` : html` title="over ${number((observedAt - observedBefore) / DAY_MS)} days"`}>${change(value)}</span>`,
    field: { type: 'DOUBLE', of: ({ change: value }) => value },
  },
  {
    name: 'gained_per_day',
    title: 'a day',
    isNumber: true,
    show: ({ gainedPerDay }) =>
      html`<span class="${direction(gainedPerDay)}">${gained(gainedPerDay)}</span>`,
    field: { type: 'DOUBLE', of: ({ gainedPerDay }) => gainedPerDay },
  },
  {
    name: 'followers_before',
    title: 'followers before',
    isNumber: true,
    hide: 'tablet',
    show: ({ followersBefore }) => count(followersBefore),
    field: { type: 'INT64', of: ({ followersBefore }) => followersBefore },
  },
  {
    name: 'observed_at',
    title: 'counted',
    isNumber: true,
    hide: 'phone',
    show: ({ observedAt }) => since(observedAt, view.at),
    field: { type: 'TIMESTAMP_MILLIS', of: ({ observedAt }) => observedAt },
  },
  {
    name: 'observed_before',
    title: 'counted before',
    field: { type: 'TIMESTAMP_MILLIS', of: ({ observedBefore }) => observedBefore },
  },
];
