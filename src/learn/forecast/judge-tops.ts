import type Database from 'better-sqlite3';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { endedOnTop, finishedAt, isComparable } from '../model/cohort.ts';
import type { KeptOfVideo } from '../model/kept-forecasts.ts';
import { CurveReader, modelOf, videoKind } from '../model/lake-curves.ts';
import { finishedAfterMs, hasOutcome } from '../model/learn.ts';
import { type ModelRow, modelName } from '../model/model-rows.ts';
import type { StatedProbability } from './reliability.ts';

/** A stored probability with its outcome. */
export interface JudgedTop extends StatedProbability {
  readonly platform: Platform;
  readonly madeAt: number;
}

/** The probability is equal at every horizon, so one is read. */
const JUDGED_HOURS = 24;

/** Judges videos whose curve is finished at `at` (Unix ms) and whose cohort is known. */
export class TopJudge {
  readonly #models: ReadonlyMap<string, ModelRow>;
  readonly #at: number;
  /** Latest start of a finished curve, by platform and kind. */
  readonly #edges: ReadonlyMap<string, number>;

  constructor(sqlite: Database.Database, models: ReadonlyMap<string, ModelRow>, at: number) {
    const reader = new CurveReader(sqlite);
    this.#models = models;
    this.#at = at;
    this.#edges = new Map(
      PLATFORMS.flatMap((platform) =>
        [...reader.ways(platform, at)].map(([way, { since }]) => [
          modelName(platform, videoKind(way)),
          at - finishedAfterMs(at - since),
        ]),
      ),
    );
  }

  judge({ platform, curve, rows }: KeptOfVideo): JudgedTop[] {
    const began = curve.points[0]?.at ?? this.#at;
    const name = modelName(platform, videoKind(curve.way));
    const edge = this.#edges.get(name);
    if (edge === undefined || began > edge || !hasOutcome(curve)) return [];
    const cohorts = modelOf(this.#models, platform, curve.way)?.model.cohorts;
    if (cohorts === undefined || !isComparable(cohorts, curve)) return [];
    const top = endedOnTop(cohorts, finishedAt(curve, this.#at));
    return rows.flatMap(([, , , madeAt, hours, , , , probability]): JudgedTop[] =>
      hours === JUDGED_HOURS ? [{ platform, madeAt, probability, top }] : [],
    );
  }
}
