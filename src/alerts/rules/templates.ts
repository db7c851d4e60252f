import { UsageError } from '../../base/errors.ts';

/** A ready alert. `{name}` in its SQL is a parameter. */
interface Template {
  readonly summary: string;
  /** Default of each parameter; undefined: required. A number: must be a number. */
  readonly parameters: Readonly<Record<string, string | number | undefined>>;
  readonly sql: string;
}

/** The newest observation: "now" of the lake, also of an earlier one. */
const NOW = '(select observed_at from video_snapshots order by observed_at desc limit 1)';
const DAY = 86_400_000;

/** Video ids of the last day's observations. */
const SEEN_TODAY = `select distinct video_id from video_snapshots where observed_at > ${NOW} - ${DAY}`;
const FORMER_VIEWS = `select s.views from video_snapshots s where s.video_id = v.id and s.views > 0
      and s.observed_at <= ${NOW} - ${DAY} order by s.observed_at desc limit 1`;

/** Newest count of followers of a creator, up to some days ago. */
const followersOf = (alias: string, days: number): string =>
  `(select s.followers from creator_snapshots s where s.platform = ${alias}.platform
      and s.handle = ${alias}.handle and s.followers is not null
      and s.observed_at <= ${NOW} - ${days} * ${DAY} order by s.observed_at desc limit 1)`;

const FOLLOWED = `select w.subject, w.platform from watches w where w.kind = 'creator'
      and ({tag} = '' or w.id in (select watch_id from watch_tags where tag = lower({tag})))`;
const VIDEOS_OF = `v.platform = f.platform and v.user in (
    select f.subject union all select n.handle from handle_spelling n where n.folded = f.subject)`;

/** Ready alerts by name. */
export const ALERT_TEMPLATES: Readonly<Record<string, Template>> = {
  'enters-list': {
    summary: 'a video enters a list',
    parameters: { list: 'feed', platform: '', top: 50 },
    sql: `select e.video_id as subject, v.title, e.rank as value, e.list, e.platform, v.user
from list_entries e join videos v on v.id = e.video_id
where e.list = {list} and ({platform} = '' or e.platform = {platform}) and e.rank <= {top}
  and e.entered_at > ${NOW} - ${DAY}
order by e.rank`,
  },
  'passes-views': {
    summary: 'a video passes a number of views',
    parameters: { views: 1_000_000, platform: '' },
    sql: `select v.id as subject, v.title, v.views as value, v.platform, v.user
from videos v
where v.id in (${SEEN_TODAY})
  and v.views >= {views} and ({platform} = '' or v.platform = {platform})
  and coalesce((${FORMER_VIEWS}), 0) < {views}
order by v.views desc`,
  },
  'grows-views': {
    summary: 'a video gains a number of views in 24 hours',
    parameters: { gain: 500_000, platform: '' },
    sql: `select * from (
  select v.id as subject, v.title, v.views - (${FORMER_VIEWS}) as value, v.views, v.platform, v.user
  from videos v
  where v.id in (${SEEN_TODAY}) and v.views >= {gain}
    and ({platform} = '' or v.platform = {platform})
) where value >= {gain} order by value desc`,
  },
  'creator-posts': {
    summary: 'a creator that you watch has a new video',
    parameters: { tag: '' },
    sql: `select v.id as subject, v.title, v.user, v.platform, v.views as value
from (${FOLLOWED}) f join videos v on ${VIDEOS_OF}
where coalesce(v.created_at, v.first_seen_at) > ${NOW} - 3 * ${DAY}`,
  },
  'hashtag-doubles': {
    summary: 'a hashtag grows by a factor in a week',
    parameters: { factor: 2, volume: 100, platform: 'all' },
    sql: `select tag as subject, '#' || tag as title, volume as value, volume_before, change
from hashtag_trend
where platform = {platform} and volume >= {volume} and change >= {factor} - 1
order by change desc`,
  },
  'forecast-passes': {
    summary: 'a video passes a probability of finishing in the top 10 %',
    parameters: { probability: 0.6, platform: '' },
    sql: `select id as subject, title, top_probability as value, platform, user, views, views_median
from rising_next
where top_probability >= {probability} and ({platform} = '' or platform = {platform})
order by top_probability desc`,
  },
  overtakes: {
    summary: 'a creator passes yours in followers, compared with a week ago',
    parameters: { handle: undefined, platform: undefined },
    sql: `select c.handle as subject, '@' || c.handle || ' has more followers than @' || m.handle as title,
  c.followers as value, m.followers as own_followers
from creators m join creators c on c.platform = m.platform and c.followers > m.followers
where m.platform = {platform} and m.handle = {handle} collate nocase
  and ${followersOf('c', 7)} <= ${followersOf('m', 7)}`,
  },
  'creator-silent': {
    summary: 'a creator that you watch has no new video for some days',
    parameters: { days: 14, tag: '' },
    sql: `select 'creator:' || f.subject as subject, '@' || f.subject as title,
  cast((${NOW} - max(coalesce(v.created_at, v.first_seen_at))) / ${DAY} as integer) as value
from (${FOLLOWED}) f join videos v on ${VIDEOS_OF}
group by f.platform, f.subject
having value >= {days}`,
  },
};

const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

const parameterOf = (
  name: string,
  fallback: string | number | undefined,
  text: string | undefined,
): string | number => {
  if (text === undefined) {
    if (fallback !== undefined) return fallback;
    throw new UsageError(`The template needs --set ${name}=VALUE.`);
  }
  if (typeof fallback !== 'number') return text.replace(/^[@#]/, '');
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new UsageError(`--set ${name} must be a number; it is "${text}".`);
};

/**
 * The statement of a template, with its parameters filled in.
 * @param given `NAME=VALUE` each
 * @throws UsageError for an unknown template or parameter, or a value that does not fit
 */
export const templateSql = (name: string, given: readonly string[]): string => {
  const template = Object.hasOwn(ALERT_TEMPLATES, name) ? ALERT_TEMPLATES[name] : undefined;
  if (template === undefined)
    throw new UsageError(
      `No template is called "${name}". Templates: ${Object.keys(ALERT_TEMPLATES).join(', ')}.`,
    );
  const known = Object.keys(template.parameters);
  const values = new Map(
    given.map((pair): [string, string] => {
      const [key = '', ...rest] = pair.split('=');
      if (known.includes(key) && rest.length > 0) return [key, rest.join('=')];
      throw new UsageError(
        `--set must be NAME=VALUE, where NAME is ${known.join(' or ')}; it is "${pair}".`,
      );
    }),
  );
  const literals = new Map(
    Object.entries(template.parameters).map(([key, fallback]) => [
      key,
      literal(parameterOf(key, fallback, values.get(key))),
    ]),
  );
  return template.sql.replace(/\{(\w+)\}/g, (_, key: string) => literals.get(key) ?? '');
};
