import { COMPARED_AGES, type ComparedCreator } from './compare-creators.ts';

/** One figure of a comparison; null: unknown. */
export type ComparedLine = readonly [
  label: string,
  value: (creator: ComparedCreator) => number | string | null,
];

const percent = (share: number | null): string | null =>
  share === null ? null : `${Math.round(100 * share)} %`;

const agesOf = (ageDays: number): ComparedLine[] => {
  const at = ({ viewsByAge }: ComparedCreator) =>
    viewsByAge.find((each) => each.ageDays === ageDays);
  const span = ageDays === 1 ? '1 day' : `${ageDays} days`;
  return [
    [`median views after ${span}`, (creator) => at(creator)?.median ?? null],
    [`best views after ${span}`, (creator) => at(creator)?.best ?? null],
  ];
};

/** Figures of creators side by side, in the order in which they are shown. */
export const COMPARED_LINES: readonly ComparedLine[] = [
  ['followers', ({ followers }) => followers],
  ['followers gained', ({ followersGained }) => followersGained],
  ['videos', ({ videos }) => videos],
  ['videos a week', ({ videosPerWeek }) => videosPerWeek],
  ...COMPARED_AGES.flatMap(agesOf),
  [
    'median engagement',
    ({ engagementRate }) => (engagementRate === null ? null : `${engagementRate.toFixed(1)} %`),
  ],
  ['videos on lists', ({ onLists }) => percent(onLists)],
  [
    'hashtags',
    ({ hashtags }) =>
      hashtags
        .slice(0, 3)
        .map(({ tag }) => `#${tag}`)
        .join(' '),
  ],
  ['best hours (UTC)', ({ hours }) => hours.map(({ hour }) => `${hour} h`).join(', ')],
];
