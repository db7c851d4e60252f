import type { JsonObject } from '../json-object.ts';
import type { Lake } from '../lake/open.ts';
import type { Analysis } from '../wire/analysis-shapes.ts';
import { Tally } from './tally.ts';

/** Writes analyses of videos. The same answer (video, instant) again changes nothing. */
export const analysisWriter = ({ sqlite }: Lake) => {
  const put = sqlite.prepare(`
    insert into analyses (video_id, generated_at, method, result) values (?, ?, ?, ?)
    on conflict (video_id, generated_at) do update set method = excluded.method,
      result = excluded.result where result is not excluded.result`);
  return (videoId: string, generatedAt: number, analysis: JsonObject, tally: Tally): void => {
    const method = analysis.method === 'statistical' ? 'statistical' : 'model';
    const { changes } = put.run(videoId, generatedAt, method, JSON.stringify(analysis));
    tally.add('analyses', changes > 0 ? 'inserted' : 'unchanged');
  };
};

/** Keeps an analysis of our own; the same video and instant a second time changes nothing. */
export const storeAnalysis = (lake: Lake, analysis: Analysis): void =>
  analysisWriter(lake)(analysis.id, Date.parse(analysis.generatedAt), analysis, new Tally());
