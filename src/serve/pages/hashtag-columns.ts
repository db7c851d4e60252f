import { html } from 'hono/html';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import type { HashtagItem } from '../../wire/shapes.ts';
import type { Column } from './data-table.ts';
import { change, count, direction, PLATFORM_NAMES } from './figures.ts';
import { NOTHING } from './html.ts';
import { SAMPLED } from './marks.ts';
import { hashtagPath, linkTo, type PageView } from './page-view.ts';

/** A hashtag and where it stands in the list it came with. */
export type RankedTag = HashtagItem & { readonly place: number };

/** Hashtags of one page of a list, with their ranks. */
export const rankedTags = (items: readonly HashtagItem[], before: number): RankedTag[] =>
  items.map((item, index) => ({ ...item, place: before + index + 1 }));

const volumeOn = ({ platforms }: HashtagItem, name: string): number | null =>
  platforms.find(({ platform }) => platform === name)?.volume ?? null;

/** The columns of a list of hashtags. `most`: the largest volume shown, for the bars. */
export const hashtagColumns = (
  view: PageView,
  { most = 1, hasParts = true }: { most?: number; hasParts?: boolean } = {},
): Column<RankedTag>[] => [
  {
    name: 'rank',
    title: '#',
    isNumber: true,
    show: ({ place }) => html`<span class="soft">${place}</span>`,
    field: { type: 'INT64', of: ({ place }) => place },
  },
  {
    name: 'tag',
    title: 'hashtag',
    show: ({ tag, volume, sampled }) =>
      html`<a class="one title" dir="auto" href="${linkTo(view, hashtagPath(tag))}">#${tag}</a>${sampled === true ? html` ${SAMPLED}` : NOTHING}<div class="meter" style="width:${Math.round((100 * (volume ?? 0)) / Math.max(1, most))}%"></div>`,
    field: { type: 'UTF8', of: ({ tag }) => tag },
  },
  {
    name: 'volume',
    title: 'videos',
    isNumber: true,
    show: ({ volume }) => count(volume),
    field: { type: 'INT64', of: ({ volume }) => volume },
  },
  {
    name: 'views',
    title: 'views',
    isNumber: true,
    hide: 'phone',
    show: ({ views }) => count(views),
    field: { type: 'INT64', of: ({ views }) => views },
  },
  {
    name: 'change',
    title: 'change',
    isNumber: true,
    show: ({ change: value }) =>
      value === null
        ? html`<span class="soft" title="not known: both windows were not watched alike">–</span>`
        : html`<span class="${direction(value)}">${change(value)}</span>`,
    field: { type: 'DOUBLE', of: ({ change: value }) => value },
  },
  ...(hasParts
    ? PLATFORMS.map(
        (platform): Column<RankedTag> => ({
          name: platform,
          title: PLATFORM_NAMES[platform],
          isNumber: true,
          hide: 'tablet',
          show: (item) => count(volumeOn(item, platform)),
          field: { type: 'INT64', of: (item) => volumeOn(item, platform) },
        }),
      )
    : []),
  {
    name: 'sampled',
    title: 'sampled',
    field: { type: 'INT64', of: ({ sampled }) => (sampled === true ? 1 : 0) },
  },
];
