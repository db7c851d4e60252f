import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { DAY_MS } from '../../src/base/durations.ts';
import {
  learnVolumes,
  volumeAhead,
  volumeBaselines,
} from '../../src/learn/volumes/learn-volumes.ts';
import {
  AHEAD_MS,
  type DailyVolumes,
  logVolume,
  type Volume,
  volumeAfter,
} from '../../src/learn/volumes/volume-series.ts';

/** Result for the hashtags of one source. Errors of ln(number + 10). */
export interface VolumeReplay {
  readonly source: string;
  /** `volume`, or `views` where the source has no volumes: the tag's views of all time. */
  readonly of: 'volume' | 'views';
  readonly tags: number;
  readonly weeks: number;
  readonly asked: number;
  readonly inside: number;
  readonly errors: readonly VolumeErrors[];
}

interface VolumeErrors {
  readonly forecast: number;
  readonly countStays: number;
  readonly paceGoesOn: number;
  readonly cohortMedian: number;
}

interface Line {
  readonly tag: string;
  readonly at: string;
  readonly volume?: number | null;
  readonly views?: number | null;
  readonly source?: string;
  readonly region?: string | null;
}

const LOOKBACK_MS = 182 * DAY_MS;

/** The numbers of each tag, the last of each day, by source and region. */
const realSeries = async (folder: string): Promise<Map<string, DailyVolumes[]>> => {
  const path = join(folder, 'hashtags.ndjson.gz');
  const bySource = new Map<string, Map<string, Volume[]>>();
  if (!existsSync(path)) return new Map();
  for await (const text of createInterface({
    input: createReadStream(path).pipe(createGunzip()),
  })) {
    const { tag, at: iso, volume, views, source, region } = JSON.parse(text) as Line;
    const told = volume ?? views;
    if (told === null || told === undefined) continue;
    const name = `${[source, region].filter(Boolean).join(' ')}, ${volume == null ? 'views' : 'volume'}`;
    const tags = bySource.get(name) ?? new Map<string, Volume[]>();
    bySource.set(name, tags);
    const volumes = tags.get(tag) ?? [];
    tags.set(tag, volumes);
    const at = Date.parse(iso);
    const last = volumes.at(-1);
    if (last !== undefined && Math.floor(last.at / DAY_MS) === Math.floor(at / DAY_MS))
      volumes.pop();
    volumes.push({ at, volume: told });
  }
  return new Map(
    [...bySource].map(([name, tags]) => [
      name,
      [...tags.values()].map((volumes, key) => ({ key, volumes })),
    ]),
  );
};

const between = ({ key, volumes }: DailyVolumes, after: number, until: number): DailyVolumes => ({
  key,
  volumes: volumes.filter(({ at }) => at > after && at <= until),
});

/** Learns week after week from what was known then, and asks about every number until the next. */
const replayed = (name: string, series: readonly DailyVolumes[]): VolumeReplay => {
  const firstAt = Math.min(...series.map(({ volumes }) => volumes[0]?.at ?? Infinity));
  const endAt = Math.max(...series.map(({ volumes }) => volumes.at(-1)?.at ?? 0));
  const errors: VolumeErrors[] = [];
  let [weeks, inside] = [0, 0];
  for (let night = firstAt; night <= endAt; night += AHEAD_MS) {
    const known = series
      .map((its) => between(its, night - LOOKBACK_MS, night))
      .filter(({ volumes }) => volumes.length > 0);
    const model = learnVolumes(known, night);
    if (model === undefined) continue;
    weeks += 1;
    for (const its of series)
      for (const [position, { at }] of its.volumes.entries()) {
        const truth = at > night && at <= night + AHEAD_MS ? volumeAfter(its, position) : undefined;
        if (truth === undefined) continue;
        const then = between(its, at - LOOKBACK_MS, at);
        const last = then.volumes.length - 1;
        const { low, median, high } = volumeAhead(model, then, last);
        const { countStays, paceGoesOn, cohortMedian } = volumeBaselines(model, then, last);
        const error = (stated: number): number => Math.abs(stated - truth);
        if (truth >= logVolume(low - 1) && truth <= logVolume(high + 1)) inside += 1;
        errors.push({
          forecast: error(logVolume(median)),
          countStays: error(countStays),
          paceGoesOn: error(paceGoesOn),
          cohortMedian: error(cohortMedian),
        });
      }
  }
  const [source = name, of] = name.split(', ');
  return {
    source,
    of: of === 'volume' ? 'volume' : 'views',
    tags: series.length,
    weeks,
    asked: errors.length,
    inside,
    errors,
  };
};

/** Replays the hashtags of a folder in the import format, source by source. */
export const volumeReplays = async (folder: string): Promise<VolumeReplay[]> =>
  [...(await realSeries(folder))].map(([name, series]) => replayed(name, series));
