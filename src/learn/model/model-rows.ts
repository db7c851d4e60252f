import type Database from 'better-sqlite3';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { messageOf } from '../../base/errors.ts';
import { prepare } from '../../lake/prepare.ts';
import type { VolumeModel } from '../volumes/learn-volumes.ts';
import type { Cadence } from './curve.ts';
import type { WayModel } from './learn.ts';
import type { RecentScore, WithheldHorizon } from './misses.ts';
import { unpackModel, unpackVolumeModel } from './pack.ts';

/** Prefixes of the kinds of video models and of hashtag models. */
export const VIDEO_KINDS = 'video.';
export const HASHTAG_KINDS = 'hashtag.';

/** Stored in `scores`. */
export interface ModelScores {
  readonly used: boolean;
  /** Reason for not using it; null if used. */
  readonly reason: string | null;
  /** Of its predecessors in the last four weeks; null without a due forecast. */
  readonly recent: RecentScore | null;
  /** Horizons without views ahead, because a baseline does as well; absent for hashtags. */
  readonly withheld?: readonly WithheldHorizon[];
  /** Of the curves it learned from; absent in earlier versions and for hashtags. */
  readonly cadence?: Cadence;
  /** Of the held-back curves. */
  readonly naming: WayModel['naming'];
}

/** '' for hashtags of all platforms. */
type ModelledPlatform = Platform | '';

export interface ModelRow<Model = WayModel, Of extends ModelledPlatform = Platform> {
  readonly id: number;
  readonly kind: string;
  readonly platform: Of;
  readonly learntAt: number;
  readonly samples: number;
  readonly scores: ModelScores;
  readonly model: Model;
}

export interface ModelsRead<Model = WayModel, Of extends ModelledPlatform = Platform> {
  readonly models: ReadonlyMap<string, ModelRow<Model, Of>>;
  readonly unreadable: readonly { readonly platform: Of; readonly warning: string }[];
}

export type VolumeModelsRead = ModelsRead<VolumeModel, ModelledPlatform>;

/** Key in `ModelsRead.models`, and the model's name for people. */
export const modelName = (platform: ModelledPlatform, kind: string): string =>
  `${platform === '' ? 'all platforms' : platform} ${kind}`;

/** The newest readable model of each platform and kind learned at or before `at`. */
const readModelsOf = <Model, Of extends ModelledPlatform>(
  sqlite: Database.Database,
  at: number,
  {
    prefix,
    platforms,
    unpack,
  }: { prefix: string; platforms: readonly Of[]; unpack: (bytes: Buffer) => Model },
): ModelsRead<Model, Of> => {
  const kinds = prepare(
    sqlite,
    'select distinct kind from models where platform = ? and learnt_at <= ? and kind glob ?',
    'text',
  );
  const newest = prepare(
    sqlite,
    `select id, kind, learnt_at as learntAt, samples, scores, parameters from models
     where platform = ? and kind = ? and learnt_at <= ? order by learnt_at desc, id desc limit 3`,
    {
      id: 'number',
      kind: 'text',
      learntAt: 'number',
      samples: 'number',
      scores: 'text',
      parameters: 'blob',
    },
  );
  const models = new Map<string, ModelRow<Model, Of>>();
  const unreadable: { platform: Of; warning: string }[] = [];
  const names = platforms.flatMap((platform) =>
    kinds.all(platform, at, `${prefix}*`).map((kind) => ({ platform, kind })),
  );
  for (const { platform, kind } of names)
    for (const row of newest.iterate(platform, kind, at)) {
      try {
        const { parameters, scores, ...facts } = row;
        const model = unpack(parameters);
        models.set(modelName(platform, kind), {
          ...facts,
          platform,
          scores: JSON.parse(scores) as ModelScores,
          model,
        });
        break;
      } catch (error) {
        const warning = `Model ${row.id} (${modelName(platform, kind)}) cannot be read: ${messageOf(error)}. trendlake ignores it and learns it again.`;
        unreadable.push({ platform, warning });
      }
    }
  return { models, unreadable };
};

export const readModels = (sqlite: Database.Database, at: number): ModelsRead =>
  readModelsOf(sqlite, at, { prefix: VIDEO_KINDS, platforms: PLATFORMS, unpack: unpackModel });

export const readVolumeModels = (sqlite: Database.Database, at: number): VolumeModelsRead => {
  const platforms = ['', ...PLATFORMS] as const;
  return readModelsOf(sqlite, at, { prefix: HASHTAG_KINDS, platforms, unpack: unpackVolumeModel });
};

export interface NewModel {
  readonly kind: string;
  readonly platform: ModelledPlatform;
  readonly learntAt: number; // Unix ms
  readonly learntUntil: number; // Unix ms
  readonly samples: number;
  readonly scores: ModelScores;
  readonly parameters: Buffer;
}

/** Replaces a model learned at the same instant, and keeps its id. */
export const storeModel = (sqlite: Database.Database, { scores, ...model }: NewModel): void => {
  sqlite
    .prepare(
      `insert into models (id, kind, platform, learnt_at, learnt_until, samples, scores, parameters)
       values ((select id from models where platform = @platform and kind = @kind and learnt_at = @learntAt),
         @kind, @platform, @learntAt, @learntUntil, @samples, @scores, @parameters)
       on conflict (id) do update set learnt_until = excluded.learnt_until, samples = excluded.samples,
         scores = excluded.scores, parameters = excluded.parameters`,
    )
    .run({ ...model, scores: JSON.stringify(scores) });
};
