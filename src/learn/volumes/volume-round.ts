import type Database from 'better-sqlite3';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { reasonAgainst, scoreOf } from '../model/misses.ts';
import { type ModelSort, modelName, readModelsOf, storeModel } from '../model/model-rows.ts';
import { packModel, unpackVolumeModel } from '../model/pack.ts';
import { JUDGED_VOLUMES_MS, judgeVolumes } from './judge-volumes.ts';
import {
  HASHTAG_KINDS,
  newestVolume,
  type VolumeGroup,
  VolumeReader,
  volumeKind,
} from './lake-volumes.ts';
import { learnVolumes, type VolumeModel } from './learn-volumes.ts';
import { forecastVolumes } from './volume-rows.ts';

/** The models of hashtag volumes among all models. */
const SORT: ModelSort<VolumeModel, VolumeGroup['platform']> = {
  prefix: HASHTAG_KINDS,
  platforms: ['', ...PLATFORMS],
  unpack: unpackVolumeModel,
};

/** The newest readable models of hashtag volumes learnt at or before `at`. */
export const readVolumeModels = (sqlite: Database.Database, at: number) =>
  readModelsOf(sqlite, SORT, at);

/** Volumes were watched for weeks: a model is learnt anew once a week. */
const DUE_MS = 6.5 * DAY_MS;

/** What a round over the hashtags did. */
export interface VolumeSummary {
  readonly learnt: number;
  /** Hashtags with a new forecast. */
  readonly forecast: number;
  readonly told: readonly string[];
}

const NOTHING: VolumeSummary = { learnt: 0, forecast: 0, told: [] };

/**
 * Learns how volumes change in a week where that is due, then forecasts those of the last two days.
 * A second round over the same lake writes nothing.
 * @param anew learn even what was learnt of late
 * @param checkStop throws to stop between two steps; what was written stays
 */
export const volumeRound = (
  sqlite: Database.Database,
  { now, anew, checkStop }: { now: number; anew: boolean; checkStop: () => void },
): VolumeSummary => {
  const at = newestVolume(sqlite, now);
  if (at === undefined) return NOTHING;
  const reader = new VolumeReader(sqlite);
  const groups = reader.groups(at);
  const before = readVolumeModels(sqlite, at);
  const told = before.unreadable.map((its) => its.told);
  let learnt = 0;
  const ageOf = (group: VolumeGroup): number =>
    at -
    (before.models.get(modelName(group.platform, volumeKind(group)))?.learntAt ??
      Number.NEGATIVE_INFINITY);
  for (const group of groups.filter((its) => ageOf(its) >= (anew ? 1 : DUE_MS))) {
    checkStop();
    const model = learnVolumes(reader.teaching(group, at), at);
    if (model === undefined) continue;
    const { platform } = group;
    const kind = volumeKind(group);
    const span = { from: at - JUDGED_VOLUMES_MS, to: at, at };
    const judged = judgeVolumes(sqlite, before.models, span);
    const recent = scoreOf(judged.filter((its) => its.platform === platform && its.kind === kind));
    const reason = reasonAgainst(recent);
    storeModel(sqlite, {
      kind,
      platform,
      learntAt: at,
      learntUntil: model.learntUntil,
      samples: model.tagWeeks,
      scores: { used: reason === null, reason, recent, naming: [] },
      parameters: packModel(model),
    });
    learnt += 1;
    if (reason !== null)
      told.push(`The forecasts of ${modelName(platform, kind)} are not used: ${reason}.`);
  }
  const { models } = learnt > 0 ? readVolumeModels(sqlite, at) : before;
  let forecast = 0;
  for (const group of groups) {
    const row = models.get(modelName(group.platform, volumeKind(group)));
    if (row?.scores.used === true)
      forecast += forecastVolumes(sqlite, { group, row, at }, checkStop);
  }
  return { learnt, forecast, told };
};
