import type { CookbookQuery, Described, DictionaryPart } from './dictionary.ts';
import { CLOSED_COLUMNS, CLOSED_TABLES } from './refuse-closed.ts';

/** Views that answer common questions without a join. */
const ASKED: readonly string[] = [
  'feed_now',
  'trends_now',
  'rising_next',
  'risen',
  'fresh_videos',
  'videos',
  'creators',
  'creators_rising',
  'hashtags',
  'hashtag_trend',
  'hashtags_next',
  'video_history',
  'creator_history',
  'hashtag_history',
  'feed_history',
  'list_entries',
  'list_stays',
  'video_milestones',
  'daily_summary',
  'events_recent',
  'platform_overlap',
  'tagged_videos',
  'calls_by_platform',
];
const RAW: readonly string[] = [
  'rankings',
  'video_snapshots',
  'creator_snapshots',
  'hashtag_snapshots',
  'video_hashtags',
  'forecasts',
  'hashtag_forecasts',
  'hashtag_volumes',
  'events',
  'creator_revision',
  'extra_revision',
  'search_hits',
  'analyses',
];

export interface DictionaryGroup {
  readonly title: string;
  readonly about: string;
  readonly relations: readonly (Described & { readonly example: string })[];
}

/** The first cookbook query that reads a relation, else its first rows. */
const exampleOf = ({ name, columns }: Described, recipes: readonly CookbookQuery[]): string => {
  const recipe = recipes.find(({ sql }) => new RegExp(`\\b(?:from|join) ${name}\\b`).test(sql));
  const closed = CLOSED_COLUMNS[name];
  const open = columns.map((column) => column.name).filter((column) => !closed?.includes(column));
  const wanted = closed === undefined ? '*' : open.join(', ');
  return recipe?.sql ?? `select ${wanted}\nfrom ${name}\nlimit 20`;
};

/** The dictionary by how it is used: views to ask, raw history, internals. */
export const groupDictionary = (
  parts: readonly DictionaryPart[],
  recipes: readonly CookbookQuery[],
): DictionaryGroup[] => {
  const all = parts
    .slice(0, 2)
    .flatMap(({ relations }) => relations)
    .filter(({ name }) => !CLOSED_TABLES.includes(name))
    .map((relation) => ({ ...relation, example: exampleOf(relation, recipes) }));
  const named = (names: readonly string[]) =>
    names.flatMap((name) => all.filter((relation) => relation.name === name));
  return [
    {
      title: 'Ask these',
      about: 'Ready answers, one row for each thing.',
      relations: named(ASKED),
    },
    { title: 'Raw history', about: 'Every observation as it was stored.', relations: named(RAW) },
    {
      title: 'Internals',
      about: 'The state of the pipeline.',
      relations: all.filter(({ name }) => !ASKED.includes(name) && !RAW.includes(name)),
    },
  ];
};
