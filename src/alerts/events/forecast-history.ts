import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { ModelScores } from '../../learn/model/model-rows.ts';
import type { Window } from './event.ts';
import type { StatedForecast } from './forecast-spike.ts';
import type { Thresholds } from './thresholds.ts';

/** Fewer named curves than this say nothing of a precision. */
const LEAST_NAMED = 20;

/** The lowest probability from which naming had the precision asked for; undefined: none has. */
export const thresholdFor = (
  { used, naming }: Pick<ModelScores, 'used' | 'naming'>,
  precision: number,
): number | undefined =>
  used
    ? naming.find(({ named, right }) => named >= LEAST_NAMED && right / named >= precision)
        ?.probability
    : undefined;

interface ModelFacts {
  readonly threshold: number | undefined;
  readonly samples: number;
}

/** Reads what trusted models forecast of videos; the facts of a model are read once. */
export const forecastHistory = (
  sqlite: Database.Database,
  limits: Readonly<Record<Platform, Thresholds>>,
): ((keys: readonly number[], span: Window) => Map<number, StatedForecast[]>) => {
  const models = new Map<number, ModelFacts>();
  const facts = prepare(sqlite, 'select platform, samples, scores from models where id = ?', {
    platform: 'platform',
    samples: 'number',
    scores: 'text',
  });
  const factsOf = (id: number): ModelFacts => {
    const known = models.get(id);
    if (known !== undefined) return known;
    const row = required(facts.get(id));
    const scores = JSON.parse(row.scores) as ModelScores;
    const threshold = thresholdFor(scores, limits[row.platform].spike.minPrecision);
    const read = { threshold, samples: row.samples };
    models.set(id, read);
    return read;
  };
  const rows = prepare(
    sqlite,
    `select f.video_key as key, f.made_at as at, f.top_probability as probability, f.model_id as modelId,
       f.views_median as median, f.views_low as low, f.views_high as high, v.first_seen_at as firstSeenAt
     from json_each(?) k cross join forecast f on f.video_key = k.value and f.horizon_hours = 24
     cross join video v on v.key = f.video_key
     where f.made_at > ? and f.made_at <= ? order by f.video_key, f.made_at`,
    {
      key: 'number',
      at: 'number',
      probability: 'number',
      modelId: 'number',
      median: 'number?',
      low: 'number?',
      high: 'number?',
      firstSeenAt: 'number',
    },
  );
  return (keys, span) => {
    const stated = rows
      .all(JSON.stringify(keys), span.from, span.to)
      .flatMap(({ modelId, ...row }) => {
        const { threshold, samples } = factsOf(modelId);
        return threshold === undefined ? [] : [{ ...row, samples, threshold }];
      });
    return Map.groupBy(stated, ({ key }) => key);
  };
};
