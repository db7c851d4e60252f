import type Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { messageOf } from '../errors.ts';
import type { WayModel } from './learn.ts';
import { packModel, unpackModel } from './pack.ts';

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

/** A model as the lake keeps it. */
export interface ModelRow {
  readonly id: number;
  readonly kind: string;
  readonly platform: Platform;
  readonly learntAt: number;
  readonly samples: number;
  readonly scores: ModelScores;
  readonly model: WayModel;
}

interface StoredRow {
  id: number;
  kind: string;
  platform: Platform;
  learntAt: number;
  samples: number;
  scores: string;
  parameters: Buffer;
}

/** The newest models and the rows that could not be read, in words. */
export interface ModelsRead {
  readonly models: ReadonlyMap<string, ModelRow>;
  readonly unreadable: readonly { readonly platform: Platform; readonly told: string }[];
}

/** Under which a model is found. */
export const modelName = (platform: Platform, kind: string): string => `${platform} ${kind}`;

/** The newest readable model of each platform and kind learnt at or before `at`. */
export const readModels = (sqlite: Database.Database, at: number): ModelsRead => {
  const names = sqlite
    .prepare('select distinct platform, kind from models where learnt_at <= ?')
    .all(at) as { platform: Platform; kind: string }[];
  const newest = sqlite.prepare(
    `select id, kind, platform, learnt_at as learntAt, samples, scores, parameters from models
     where platform = ? and kind = ? and learnt_at <= ? order by learnt_at desc, id desc limit 3`,
  );
  const models = new Map<string, ModelRow>();
  const unreadable: { platform: Platform; told: string }[] = [];
  for (const { platform, kind } of names)
    for (const row of newest.iterate(platform, kind, at) as IterableIterator<StoredRow>) {
      try {
        const { parameters, scores, ...facts } = row;
        const model = unpackModel(parameters);
        models.set(modelName(platform, kind), {
          ...facts,
          scores: JSON.parse(scores) as ModelScores,
          model,
        });
        break;
      } catch (error) {
        const told = `Model ${row.id} (${kind}, ${platform}) cannot be read: ${messageOf(error)}. It is not used and will be learnt anew.`;
        unreadable.push({ platform, told });
      }
    }
  return { models, unreadable };
};

/** Keeps a model; one learnt at the same instant takes its row over. @returns its id */
export const storeModel = (
  sqlite: Database.Database,
  { kind, platform, learntAt, scores, model }: Omit<ModelRow, 'id' | 'samples'>,
): number => {
  const learnt = [model.learntUntil, model.finished, JSON.stringify(scores), packModel(model)];
  const known = sqlite
    .prepare('select id from models where platform = ? and kind = ? and learnt_at = ?')
    .pluck()
    .get(platform, kind, learntAt) as number | undefined;
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
