import type { JsonObject } from '../../base/json-object.ts';
import type { Analysis } from '../../base/wire/analysis-shapes.ts';
import type { Lake } from '../../lake/open.ts';
import { statement } from '../../lake/statements.ts';
import { Tally } from './tally.ts';

/** An analysis as received, with its instant (Unix ms). */
interface ReceivedAnalysis {
  videoId: string;
  generatedAt: number;
  analysis: JsonObject;
}

/** Writes an analysis in a loading transaction. Repeating it changes nothing. */
export const writeAnalysis = (
  lake: Lake,
  { videoId, generatedAt, analysis }: ReceivedAnalysis,
  tally: Tally,
): void => {
  const put = statement(
    lake,
    `insert into analyses (video_id, generated_at, method, result) values (?, ?, ?, ?)
     on conflict (video_id, generated_at) do update set method = excluded.method,
       result = excluded.result where result is not excluded.result`,
  );
  const method = analysis.method === 'statistical' ? 'statistical' : 'model';
  const { changes } = put.run(videoId, generatedAt, method, JSON.stringify(analysis));
  tally.add('analyses', changes > 0 ? 'inserted' : 'unchanged');
};

/** Stores an analysis. Repeating it changes nothing. */
export const storeAnalysis = (lake: Lake, analysis: Analysis): void => {
  const { id: videoId, generatedAt } = analysis;
  writeAnalysis(lake, { videoId, generatedAt: Date.parse(generatedAt), analysis }, new Tally());
};
