import { z } from 'zod';
import { isoOf } from '../../base/iso.ts';
import { analysisResponse } from '../../base/wire/analysis-shapes.ts';
import { plainHandle } from '../../base/wire/folding.ts';
import { creatorResponse, growthResponse, videoResponse } from '../../base/wire/shapes.ts';
import type { Lake } from '../../lake/open.ts';
import { creatorProfile } from '../../lake/read/creator-profile.ts';
import { shownProfile } from '../../lake/read/shown-profile.ts';
import { videoByIdAsOf, videoRecord } from '../../lake/read/timeline.ts';
import { videoGrowth } from '../../lake/read/video-growth.ts';
import { shownForecast } from '../../learn/forecast/read.ts';
import { analyzeVideo } from '../../learn/why/analyze.ts';
import * as given from './inputs.ts';
import { type LakeTools, notSeen } from './lake-tool.ts';

const requiredVideo = (lake: Lake, id: string, at: number) => {
  const found = videoByIdAsOf(lake, id, at);
  if (found === undefined) throw notSeen(`video "${id}"`, at);
  return found;
};

const addVideoTools = (tools: LakeTools): void => {
  tools.add({
    name: 'video',
    title: 'One video',
    description:
      'One video as last seen: title, creator, hashtags and counts. Counts may be hours or days old (growth has their times). Null means unknown, never 0.',
    input: z.strictObject({ id: given.videoId, asOf: given.asOf }),
    output: videoResponse,
    read: ({ id, asOf }, { lake, instantOf }) => {
      const at = instantOf(asOf);
      const { key } = requiredVideo(lake, id, at);
      return { ...videoRecord(lake, key, at), asOf: isoOf(at) };
    },
  });
  tools.add({
    name: 'growth',
    title: 'Growth of a video',
    description:
      'Snapshots of one video, oldest first; the curve computed from them (views per hour between snapshots, peak, doubling time, phase: rising, peaking, fading, flat or unknown); and its forecast, or null. Counts between two snapshots are unknown: a gap does not mean no growth.',
    input: z.strictObject({ id: given.videoId, asOf: given.asOf }),
    output: growthResponse,
    read: ({ id, asOf }, { lake, instantOf }) => {
      const at = instantOf(asOf);
      const { key, platform } = requiredVideo(lake, id, at);
      const forecast = shownForecast(lake.sqlite, key, at);
      return { id, platform, ...videoGrowth(lake, key, at), forecast, asOf: isoOf(at) };
    },
  });
  tools.add({
    name: 'analyze',
    title: 'Why a video went viral',
    description:
      "Why a video went viral, or did not, from this lake's numbers alone (no language model): each reason with its strength from 0 (could be chance) to 1 and its evidence, compared with the sample of videos in this lake; and a recipe for a similar video. Correlations, not proven causes.",
    input: z.strictObject({ id: given.videoId }),
    output: analysisResponse,
    read: async ({ id }, { lake, clock, instantOf }) => {
      const asOf = instantOf(undefined);
      const analysis = await analyzeVideo(lake, { id, asOf }, { clock });
      if (analysis === undefined) throw notSeen(`video "${id}"`, asOf);
      return analysis;
    },
  });
};

/** Tools for one video or creator, with the response shapes of the service. */
export const addSubjectTools = (tools: LakeTools): void => {
  addVideoTools(tools);
  tools.add({
    name: 'creators',
    title: 'A creator',
    description:
      "A creator's profile as last seen, their videos in this lake (a sample of what they published), and their counts over time. Numbers are null if no profile was pulled. For rising creators, query the view creators_rising.",
    input: z.strictObject({
      platform: given.platform,
      handle: given.handle,
      ...given.paging,
      asOf: given.asOf,
    }),
    output: creatorResponse,
    read: ({ platform, handle: written, asOf, ...paging }, { lake, instantOf }) => {
      const at = instantOf(asOf);
      const handle = plainHandle(written);
      const profile = creatorProfile(lake, { platform, handle, asOf: at, ...paging });
      if (profile === undefined) throw notSeen(`creator "${handle}" on ${platform}`, at);
      return { ...shownProfile(platform, profile), asOf: isoOf(at) };
    },
  });
};
