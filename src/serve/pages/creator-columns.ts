import { html } from 'hono/html';
import { DAY_MS } from '../../base/durations.ts';
import type { CountedCreator } from '../../lake/lists/creator-lists.ts';
import {
  countColumn,
  fileColumn,
  instantColumn,
  type Ranked,
  rankColumn,
  textInFiles,
} from './column-kinds.ts';
import type { Column } from './data-table.ts';
import { change, direction, number, PLATFORM_NAMES } from './figures.ts';
import { creatorPath, linkTo } from './page-view.ts';

/** Followers gained per day, with a sign. */
export const gained = (perDay: number | null): string =>
  perDay === null ? '–' : `${perDay < 0 ? '−' : '+'}${number(Math.abs(Math.round(perDay)))}`;

export const CREATOR_COLUMNS: readonly Column<Ranked<CountedCreator>>[] = [
  rankColumn(({ rank }) => rank),
  textInFiles('platform', ({ platform }) => platform),
  {
    name: 'handle',
    title: 'creator',
    show: ({ platform, handle }, view) =>
      html`<a class="title" dir="auto" href="${linkTo(view, creatorPath(platform, handle))}">${handle}</a><span class="one soft small">${PLATFORM_NAMES[platform]}</span>`,
    field: { type: 'UTF8', of: ({ handle }) => handle },
  },
  countColumn({ name: 'followers', title: 'followers', of: ({ followers }) => followers }),
  {
    name: 'change',
    title: '7 to 14 days',
    isNumber: true,
    show: ({ change: value, observedAt, observedBefore }) =>
      html`<span class="${direction(value)}"${observedBefore === null ? html` title="unknown: no count from a week before"` : html` title="over ${number((observedAt - observedBefore) / DAY_MS)} days"`}>${change(value)}</span>`,
    field: { type: 'DOUBLE', of: ({ change: value }) => value },
  },
  {
    name: 'gained_per_day',
    title: 'per day',
    isNumber: true,
    hide: 'phone',
    show: ({ gainedPerDay }) =>
      html`<span class="${direction(gainedPerDay)}">${gained(gainedPerDay)}</span>`,
    field: { type: 'DOUBLE', of: ({ gainedPerDay }) => gainedPerDay },
  },
  countColumn({
    name: 'followers_before',
    title: 'followers before',
    hide: 'tablet',
    of: ({ followersBefore }) => followersBefore,
  }),
  instantColumn({
    name: 'observed_at',
    title: 'counted',
    hide: 'phone',
    of: ({ observedAt }) => observedAt,
  }),
  fileColumn('observed_before', 'TIMESTAMP_MILLIS', ({ observedBefore }) => observedBefore),
];
