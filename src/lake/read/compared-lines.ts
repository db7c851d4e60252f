import { dateOf } from '../../base/iso.ts';
import { COMPARED_AGES, type ComparedCreator } from './compare-creators.ts';

/** One figure of compared creators, with its type in files. */
export interface ComparedLine {
  readonly label: string;
  readonly type: 'INT64' | 'DOUBLE' | 'UTF8';
  readonly of: (creator: ComparedCreator) => number | string | null;
}

const text = (label: string, of: (creator: ComparedCreator) => string | null): ComparedLine => ({
  label,
  type: 'UTF8',
  of,
});
const whole = (label: string, of: (creator: ComparedCreator) => number | null): ComparedLine => ({
  label,
  type: 'INT64',
  of,
});

const agesOf = (ageDays: number): ComparedLine[] => {
  const at = ({ viewsByAge }: ComparedCreator) =>
    viewsByAge.find((each) => each.ageDays === ageDays);
  const span = ageDays === 1 ? '1 day' : `${ageDays} days`;
  return [
    whole(`median views after ${span}`, (creator) => at(creator)?.median ?? null),
    whole(`best views after ${span}`, (creator) => at(creator)?.best ?? null),
  ];
};

/** Figures of compared creators, in order. */
export const COMPARED_LINES: readonly ComparedLine[] = [
  whole('followers', ({ followers }) => followers),
  whole('followers gained', ({ followersGained }) => followersGained),
  text('gained since', ({ followersGainedSince: at }) => (at === null ? null : dateOf(at))),
  whole('videos', ({ videos }) => videos),
  { label: 'videos a week', type: 'DOUBLE', of: ({ videosPerWeek }) => videosPerWeek },
  ...COMPARED_AGES.flatMap(agesOf),
  text('median engagement', ({ engagementRate }) =>
    engagementRate === null ? null : `${engagementRate.toFixed(1)} %`,
  ),
  text('videos on lists', ({ onLists }) =>
    onLists === null ? null : `${Math.round(100 * onLists)} %`,
  ),
  text('hashtags', ({ hashtags }) =>
    hashtags
      .slice(0, 3)
      .map(({ tag }) => `#${tag}`)
      .join(' '),
  ),
  text('best hours (UTC)', ({ hours }) => hours.map(({ hour }) => `${hour} h`).join(', ')),
];
