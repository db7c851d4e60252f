import type Database from 'better-sqlite3';
import { prepare, required } from '../../lake/prepare.ts';
import { newestObservation, TRACKED_MS } from '../model/observations.ts';
import { newestVolume, TAG_TRACKED_MS } from '../volumes/lake-volumes.ts';
import { type ForecastState, forecastStates } from './state.ts';
import { type Scored, scoredWeeks } from './weeks.ts';

/** Scores of earlier forecasts and the state of the models. */
export interface ForecastStanding {
  readonly scored: Scored;
  readonly states: readonly ForecastState[];
}

/** Takes 0.1 s on a large lake. @param at Unix ms */
export const forecastStanding = (sqlite: Database.Database, at: number): ForecastStanding => ({
  scored: scoredWeeks(sqlite, at),
  states: forecastStates(sqlite, at),
});

/** Cache key: instants with the same newest snapshot, volume and model have the same standing. */
export const standingName = (sqlite: Database.Database, at: number): string => {
  const learntAt = prepare(
    sqlite,
    'select max(learnt_at) from models where learnt_at <= ?',
    'number?',
  ).get(at);
  return [newestObservation(sqlite, at), newestVolume(sqlite, at), learntAt].join(' ');
};

/** Cost of a standing: number of videos or forecasts, the greater, counted up to `most`. */
export const forecastsAtMost = (sqlite: Database.Database, most: number): number =>
  required(
    prepare(
      sqlite,
      `select max((select count(*) from (select 1 from forecast limit @most)),
         (select count(*) from (select 1 from video limit @most)))`,
      'number',
    ).get({ most }),
  );

const RISING_UNTIL = `
  select at from (
    select min(made_at) as at from forecast where made_at > @at
    union all select min(made_at) + ${TRACKED_MS} from forecast where made_at > @at - ${TRACKED_MS}
    union all select min(made_at) from hashtag_forecast where made_at > @at
    union all select min(made_at) + ${TAG_TRACKED_MS} from hashtag_forecast where made_at > @at - ${TAG_TRACKED_MS}
    union all select min(learnt_at) from models where learnt_at > @at
  ) where at is not null order by at limit 1`;

/** Until when lists of rising videos and hashtags read at `at` stay the same in this lake. Unix ms. */
export const risingUntil = (sqlite: Database.Database, at: number): number =>
  prepare(sqlite, RISING_UNTIL, 'number').get({ at }) ?? Number.POSITIVE_INFINITY;
