import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PLATFORM_PREFIXES, type Platform } from '../../schema/vocabulary.ts';
import type { Snapshot } from '../../src/alerts/events/timeline.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { logViews } from '../../src/learn/model/curve.ts';

/** A video's real curve from one source, and what became of it. */
export interface Curve {
  readonly id: string;
  readonly source: string;
  readonly platform: Platform;
  /** The creator as the source names it; channels of one name are kept apart. */
  readonly user: string | null;
  readonly createdAt: number | null;
  readonly snapshots: Snapshot[];
  /** Known only at the end: its growth is in the top tenth of its cohort. */
  top: boolean;
  /** First snapshot with the growth of the cohort's top tenth; undefined: never. */
  crossedAt: number | undefined;
  /** End of the interval with the most views per hour. */
  readonly peakAt: number;
}

const MIN_SNAPSHOTS = 6;

const lines = function* (path: string): Generator<Record<string, unknown>> {
  // Titles hold U+2028, at which line readers stop.
  for (const line of gunzipSync(readFileSync(path)).toString('utf8').split('\n'))
    if (line !== '') yield JSON.parse(line) as Record<string, unknown>;
};

const peakOf = (snapshots: readonly Snapshot[]): number => {
  let best = { pace: -1, at: 0 };
  for (const [index, { at, views }] of snapshots.entries()) {
    const before = snapshots[index - 1];
    const hours = before === undefined ? 0 : (at - before.at) / HOUR_MS;
    if (before === undefined || hours < 0.5) continue;
    const pace = ((views ?? 0) - (before.views ?? 0)) / hours;
    if (pace > best.pace) best = { pace, at };
  }
  return best.at;
};

const growthOf = ({ snapshots }: Curve): number => {
  const counts = snapshots.map(({ views }) => views ?? 0);
  return logViews(Math.max(...counts)) - logViews(counts[0] ?? 0);
};

/** Videos of one source that were first seen at a like age. */
const cohortOf = ({ source, createdAt, snapshots }: Curve): string => {
  const hours =
    createdAt === null
      ? Number.POSITIVE_INFINITY
      : ((snapshots[0] as Snapshot).at - createdAt) / HOUR_MS;
  return `${source} ${[6, 24, 72].findIndex((edge) => hours < edge)}`;
};

const markTop = (curves: readonly Curve[]): void => {
  for (const cohort of Map.groupBy(curves, cohortOf).values()) {
    const growths = cohort.map(growthOf).sort((a, b) => b - a);
    const edge = growths[Math.floor(growths.length / 10)] ?? 0;
    for (const curve of cohort) {
      curve.top = growthOf(curve) >= edge && growthOf(curve) > 0;
      const first = logViews(curve.snapshots[0]?.views ?? 0);
      const crosses = ({ views }: Snapshot): boolean => logViews(views ?? 0) - first >= edge - 1e-9;
      curve.crossedAt = curve.top ? curve.snapshots.find(crosses)?.at : undefined;
    }
  }
};

/** Curves of 6 snapshots or more over a day or more, of a folder in the import format. */
export const realCurves = (folder: string): Curve[] => {
  const createdAt = new Map<string, number>();
  const users = new Map<string, string>();
  for (const { id, createdAt: its, user, userKey } of lines(join(folder, 'videos.ndjson.gz'))) {
    if (typeof its === 'string') createdAt.set(id as string, Date.parse(its));
    if (typeof user === 'string') users.set(id as string, `${user}/${userKey ?? ''}`);
  }
  const snapshots = new Map<string, Map<number, number>>();
  for (const { id, at, views, source } of lines(join(folder, 'snapshots.ndjson.gz'))) {
    if (typeof views !== 'number' || views <= 0) continue;
    const key = `${source}\n${id}`;
    const its = snapshots.get(key) ?? new Map<number, number>();
    snapshots.set(key, its.set(Date.parse(at as string), views));
  }
  const curves = [...snapshots].flatMap(([key, its]): Curve[] => {
    const [source, id] = key.split('\n') as [string, string];
    const timeline = [...its].map(([at, views]) => ({ at, views })).sort((a, b) => a.at - b.at);
    const spanMs = (timeline.at(-1) as Snapshot).at - (timeline[0] as Snapshot).at;
    if (timeline.length < MIN_SNAPSHOTS || spanMs < DAY_MS) return [];
    const platform = (Object.keys(PLATFORM_PREFIXES) as Platform[]).find((name) =>
      id.startsWith(`${PLATFORM_PREFIXES[name]}_`),
    ) as Platform;
    const created = createdAt.get(id) ?? null;
    return [
      {
        id,
        source,
        platform,
        user: users.get(id) ?? null,
        createdAt: created,
        snapshots: timeline,
        top: false,
        crossedAt: undefined,
        peakAt: peakOf(timeline),
      },
    ];
  });
  markTop(curves);
  return curves;
};
