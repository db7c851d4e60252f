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

const SORT: ModelSort<VolumeModel, VolumeGroup['platform']> = {
  prefix: HASHTAG_KINDS,
  platforms: ['', ...PLATFORMS],
  unpack: unpackVolumeModel,
};

export const readVolumeModels = (sqlite: Database.Database, at: number) =>
  readModelsOf(sqlite, SORT, at);

/** Models are relearned once a week. */
const DUE_MS = 6.5 * DAY_MS;

/**
 * Learns weekly changes where due, then forecasts hashtags of the last two days. A second round over
 * the same lake writes nothing. `checkStop` throws to stop; written rows stay.
 */
export const volumeRound = (
  sqlite: Database.Database,
  { now, relearn, checkStop }: { now: number; relearn: boolean; checkStop: () => void },
) => {
  const at = newestVolume(sqlite, now);
  if (at === undefined) return { learnt: 0, forecast: 0, warnings: [] };
  const reader = new VolumeReader(sqlite);
  const groups = reader.groups(at);
  const before = readVolumeModels(sqlite, at);
  const warnings = before.unreadable.map(({ warning }) => warning);
  let learnt = 0;
  const ageOf = (group: VolumeGroup): number =>
    at -
    (before.models.get(modelName(group.platform, volumeKind(group)))?.learntAt ??
      Number.NEGATIVE_INFINITY);
  for (const group of groups.filter((tags) => ageOf(tags) >= (relearn ? 1 : DUE_MS))) {
    checkStop();
    const model = learnVolumes(reader.teaching(group, at), at);
    if (model === undefined) continue;
    const { platform } = group;
    const kind = volumeKind(group);
    const span = { from: at - JUDGED_VOLUMES_MS, to: at, at };
    const judged = judgeVolumes(sqlite, before.models, span);
    const recent = scoreOf(judged.filter((row) => row.platform === platform && row.kind === kind));
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
  }
  const { models } = learnt > 0 ? readVolumeModels(sqlite, at) : before;
  let forecast = 0;
  for (const group of groups) {
    const row = models.get(modelName(group.platform, volumeKind(group)));
    if (row?.scores.used === true)
      forecast += forecastVolumes(sqlite, { group, row, at }, checkStop);
  }
  return { learnt, forecast, warnings };
};
