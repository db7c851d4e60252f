import type Database from 'better-sqlite3';
import { prepare, required } from '../../lake/prepare.ts';
import { newestObservation } from '../model/lake-curves.ts';
import { newestVolume } from '../volumes/lake-volumes.ts';
import { type ForecastState, forecastStates } from './state.ts';
import { type Scored, scoredWeeks } from './weeks.ts';

/** How far forecasts can be trusted: how earlier ones did, and what stands behind those of now. */
export interface ForecastStanding {
  readonly scored: Scored;
  readonly states: readonly ForecastState[];
}

/** Reads the standing at an instant (Unix ms). Of a large lake it takes a tenth of a second. */
export const forecastStanding = (sqlite: Database.Database, at: number): ForecastStanding => ({
  scored: scoredWeeks(sqlite, at),
  states: forecastStates(sqlite, at),
});

/**
 * What of an instant (Unix ms) the standing depends on: the newest snapshot, volume and model by then.
 * At instants that have the same it is the same, as long as nothing is written.
 */
export const standingName = (sqlite: Database.Database, at: number): string => {
  const learntAt = prepare(
    sqlite,
    'select max(learnt_at) from models where learnt_at <= ?',
    'number?',
  ).get(at);
  return [newestObservation(sqlite, at), newestVolume(sqlite, at), learntAt].join(' ');
};

/**
 * How many videos are known and how many forecasts were made, the greater, counted up to `most`:
 * what a standing costs.
 */
export const forecastsAtMost = (sqlite: Database.Database, most: number): number =>
  required(
    prepare(
      sqlite,
      `select max((select count(*) from (select 1 from forecast limit @most)),
         (select count(*) from (select 1 from video limit @most)))`,
      'number',
    ).get({ most }),
  );
