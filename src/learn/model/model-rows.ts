import type Database from 'better-sqlite3';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { messageOf } from '../../base/errors.ts';
import { prepare } from '../../lake/prepare.ts';
import type { WayModel } from './learn.ts';
import { unpackModel } from './pack.ts';

/** What the kinds of the models of videos begin with. */
export const VIDEO_KINDS = 'video.';

/** How a model did, as its row states it in `scores`. Everything but `used` is null where not measured. */
export interface ModelScores {
  /** Whether forecasts are made with it. */
  readonly used: boolean;
  /** Why not; null when it is used. */
  readonly reason: string | null;
  /** Of its forerunners' forecasts of the last four weeks; null: none has come true yet. */
  readonly recent: RecentScore | null;
  /** What naming at a probability was worth on the curves held back. */
  readonly naming: WayModel['naming'];
}

/** Forecasts held against what came. Errors are medians of |ln(views + 1000) - truth|. */
export interface RecentScore {
  readonly judged: number;
  readonly error: number;
  readonly countStays: number;
  readonly paceGoesOn: number;
  readonly cohortMedian: number | null; // null: not known
  /** Share of what came inside the 80 % intervals. */
  readonly coverage: number;
}

/** What a model is of: videos of a platform, or hashtags of a platform or of all (''). */
type ModelledPlatform = Platform | '';

/** A model as the lake keeps it. */
export interface ModelRow<Model = WayModel, Of extends ModelledPlatform = Platform> {
  readonly id: number;
  readonly kind: string;
  readonly platform: Of;
  readonly learntAt: number;
  readonly samples: number;
  readonly scores: ModelScores;
  readonly model: Model;
}

interface StoredRow {
  id: number;
  kind: string;
  learntAt: number;
  samples: number;
  scores: string;
  parameters: Buffer;
}

/** The newest models and the rows that could not be read, in words. */
export interface ModelsRead<Model = WayModel, Of extends ModelledPlatform = Platform> {
  readonly models: ReadonlyMap<string, ModelRow<Model, Of>>;
  readonly unreadable: readonly { readonly platform: Of; readonly told: string }[];
}

/** Under which a model is found. */
export const modelName = (platform: ModelledPlatform, kind: string): string =>
  `${platform === '' ? 'all platforms' : platform} ${kind}`;

/** Models of one sort, and how their bytes are read. */
export interface ModelSort<Model, Of extends ModelledPlatform> {
  /** What their kinds begin with. */
  readonly prefix: string;
  /** What they may be of. */
  readonly platforms: readonly Of[];
  /** @throws Error saying what is wrong with the bytes */
  readonly unpack: (bytes: Buffer) => Model;
}

/** The newest readable model of each platform and kind of one sort learnt at or before `at`. */
export const readModelsOf = <Model, Of extends ModelledPlatform>(
  sqlite: Database.Database,
  { prefix, platforms, unpack }: ModelSort<Model, Of>,
  at: number,
): ModelsRead<Model, Of> => {
  const kinds = prepare(
    sqlite,
    'select distinct kind from models where platform = ? and learnt_at <= ? and kind glob ?',
    'text',
  );
  const newest = prepare<StoredRow>(
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
  const unreadable: { platform: Of; told: string }[] = [];
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
        const told = `Model ${row.id} (${kind}, ${platform === '' ? 'all platforms' : platform}) cannot be read: ${messageOf(error)}. It is not used and will be learnt anew.`;
        unreadable.push({ platform, told });
      }
    }
  return { models, unreadable };
};

/** The models of videos; see `readModelsOf`. */
export const readModels = (sqlite: Database.Database, at: number): ModelsRead =>
  readModelsOf(sqlite, { prefix: VIDEO_KINDS, platforms: PLATFORMS, unpack: unpackModel }, at);

/** A model to keep. */
export interface NewModel {
  readonly kind: string;
  readonly platform: ModelledPlatform;
  readonly learntAt: number; // Unix ms
  readonly learntUntil: number; // Unix ms
  readonly samples: number;
  readonly scores: ModelScores;
  readonly parameters: Buffer;
}

/** Keeps a model; one learnt at the same instant takes its row over. @returns its id */
export const storeModel = (
  sqlite: Database.Database,
  { kind, platform, learntAt, learntUntil, samples, scores, parameters }: NewModel,
): number => {
  const learnt = [learntUntil, samples, JSON.stringify(scores), parameters];
  const known = prepare(
    sqlite,
    'select id from models where platform = ? and kind = ? and learnt_at = ?',
    'number',
  ).get(platform, kind, learntAt);
  if (known !== undefined) {
    sqlite
      .prepare(
        'update models set learnt_until = ?, samples = ?, scores = ?, parameters = ? where id = ?',
      )
      .run(...learnt, known);
    return known;
  }
  const { lastInsertRowid } = sqlite
    .prepare(
      'insert into models (learnt_until, samples, scores, parameters, kind, platform, learnt_at) values (?, ?, ?, ?, ?, ?, ?)',
    )
    .run(...learnt, kind, platform, learntAt);
  return Number(lastInsertRowid);
};
