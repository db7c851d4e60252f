import { isoOf } from '../../base/iso.ts';
import { growthResponse, videoResponse } from '../../base/wire/shapes.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import { videoByIdAsOf, videoRecord } from '../../lake/read/timeline.ts';
import { newestSnapshotAt } from '../../lake/read/validity.ts';
import { videoGrowth } from '../../lake/read/video-growth.ts';
import { shownForecast } from '../../learn/forecast/read.ts';
import { TRACKED_MS } from '../../learn/model/observations.ts';
import { RefusedError } from '../http/problems.ts';
import type { ReadContext } from '../request/context.ts';
import { getRoute } from '../request/describe.ts';
import { asOf, idPath } from '../request/parameters.ts';

export const unknownVideo = (id: string, at: number): RefusedError =>
  new RefusedError('not-found', `No video "${id}" had been seen by ${isoOf(at)}.`);

const find = (lake: Lake, id: string, at: number) => {
  const found = videoByIdAsOf(lake, id, at);
  if (found === undefined) throw unknownVideo(id, at);
  return found;
};

export const growthRoute = getRoute({
  path: '/videos/{id}/growth',
  operationId: 'getGrowth',
  summary: 'Snapshot timeline and growth curve of one video',
  params: { id: idPath },
  query: { asOf },
  response: growthResponse,
  read: ({ lake }: ReadContext, { id }, { asOf: at }) => {
    const { key, platform } = find(lake, id, at);
    const curve = videoGrowth(lake, key, at);
    const forecast = shownForecast(lake.sqlite, key, at);
    const newest = curve.snapshots.at(-1);
    return {
      body: { id, platform, ...curve, forecast },
      asOf: at,
      observedAt: newest === undefined ? null : Date.parse(newest.at),
      readFor: { at, version: lakeVersion(lake) },
      // a forecast expires two days after its snapshot
      windowsMs: forecast === null ? [] : [TRACKED_MS],
    };
  },
});

export const videoRoute = getRoute({
  path: '/videos/{id}',
  operationId: 'getVideo',
  summary: 'One video as last seen',
  extension: true,
  params: { id: idPath },
  query: { asOf },
  response: videoResponse,
  read: ({ lake }: ReadContext, { id }, { asOf: at }) => ({
    body: videoRecord(lake, find(lake, id, at).key, at),
    asOf: at,
    observedAt: newestSnapshotAt(lake, at),
    readFor: { at, version: lakeVersion(lake) },
    windowsMs: [],
  }),
});
