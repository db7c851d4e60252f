import { html } from 'hono/html';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import type { HashtagItem } from '../../base/wire/shapes.ts';
import { countColumn, fileColumn, type Ranked, rankColumn } from './column-kinds.ts';
import type { Column } from './data-table.ts';
import { change, direction, PLATFORM_NAMES } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { SAMPLED } from './marks.ts';
import { hashtagPath, linkTo } from './page-view.ts';

type RankedTag = Ranked<HashtagItem>;

const volumeOn = ({ platforms }: HashtagItem, name: string): number | null =>
  platforms.find(({ platform }) => platform === name)?.volume ?? null;

const volumeBar = ({ volume }: HashtagItem, rows: readonly HashtagItem[]): Html => {
  const most = rows.reduce((largest, row) => Math.max(largest, row.volume ?? 0), 1);
  return html`<div class="meter" style="width:${Math.round((100 * (volume ?? 0)) / most)}%"></div>`;
};

/** Columns of a list of hashtags. A platform's column is its part of the volume. */
export const HASHTAG_COLUMNS: readonly Column<RankedTag>[] = [
  rankColumn(({ rank }) => rank),
  {
    name: 'tag',
    title: 'hashtag',
    show: (item, view, rows) =>
      html`<a class="one title" dir="auto" href="${linkTo(view, hashtagPath(item.tag))}">#${item.tag}</a>${item.sampled === true ? html` ${SAMPLED}` : NOTHING}${volumeBar(item, rows)}`,
    field: { type: 'UTF8', of: ({ tag }) => tag },
  },
  countColumn({ name: 'volume', title: 'videos', of: ({ volume }) => volume }),
  countColumn({ name: 'views', title: 'views', hide: 'phone', of: ({ views }) => views }),
  {
    name: 'change',
    title: 'change',
    isNumber: true,
    show: ({ change: value }) =>
      value === null
        ? html`<span class="soft" title="unknown: the two windows were not observed equally">–</span>`
        : html`<span class="${direction(value)}">${change(value)}</span>`,
    field: { type: 'DOUBLE', of: ({ change: value }) => value },
  },
  ...PLATFORMS.map((platform) =>
    countColumn<RankedTag>({
      name: platform,
      title: PLATFORM_NAMES[platform],
      hide: 'tablet',
      of: (item) => volumeOn(item, platform),
    }),
  ),
  fileColumn('sampled', 'INT64', ({ sampled }) => Number(sampled === true)),
];

/** Limits of a list's figures: sampled volumes, and no known change in any row. */
export const tagLimits = (items: readonly HashtagItem[]) => ({
  isSampled: items.some(({ sampled }) => sampled === true),
  hasNoChange: items.length > 0 && items.every(({ change }) => change === null),
});
