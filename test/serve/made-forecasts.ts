import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { LAKE_FILE } from '../../src/lake/open.ts';
import { hoursAgo } from './filled-lake.ts';

interface MadeForecast {
  readonly id: string;
  /** Of the snapshot it stands on, Unix ms. */
  readonly at: number;
  readonly top: number;
  /** Already over the edge of the top 10 %. */
  readonly overEdge?: boolean;
  readonly overBy?: number;
  /** By hours ahead: median, low and high; a horizon left out is not known. */
  readonly views: Readonly<Record<number, readonly [number, number, number]>>;
}

/** Puts a model of a platform and forecasts made by it into a lake, as a night would have. */
export const putForecasts = (
  dataDir: string,
  platform: Platform,
  forecasts: readonly MadeForecast[],
): void => {
  const db = new Database(join(dataDir, LAKE_FILE));
  const scores = JSON.stringify({ used: true, reason: null, recent: null, naming: [] });
  db.prepare(
    `insert into models (id, kind, platform, learnt_at, learnt_until, samples, scores, parameters)
     values (1, 'video.list', ?, @at, @at, 300, ?, x'00')`,
  ).run(platform, scores, { at: hoursAgo(40) });
  const put = db.prepare('insert into forecast values (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)');
  for (const { id, at, top, overEdge = false, overBy = null, views } of forecasts) {
    const key = db.prepare('select key from video where id = ?').pluck().get(id) as number;
    for (const hours of [6, 24, 72, 168])
      put.run(
        key,
        at,
        hours,
        ...(views[hours] ?? [null, null, null]),
        top,
        overEdge ? 1 : 0,
        overBy,
      );
  }
  db.close();
};
