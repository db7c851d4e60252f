import type { Clock } from '../../base/clock.ts';
import { isoOf } from '../../base/iso.ts';
import type { Analysis } from '../../base/wire/analysis-shapes.ts';
import type { Lake } from '../../lake/open.ts';
import { readSubject } from './cohorts.ts';
import { type Findings, findingsOf } from './findings.ts';
import { askModel, type ModelSettings } from './model.ts';

interface AnalysisQuery {
  readonly id: string;
  /** Unix ms. */
  readonly asOf: number;
}

interface AnalysisDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly model?: ModelSettings | undefined;
}

/** What the lake's numbers say of a video as of an instant. Reads only; undefined for an unknown one. */
export const findingsAbout = (lake: Lake, { id, asOf }: AnalysisQuery): Findings | undefined => {
  const subject = readSubject(lake, id, asOf);
  return subject === undefined ? undefined : findingsOf(lake, subject, asOf);
};

/**
 * Why a video went viral (or did not), and how to make one like it. The numbers are always the lake's;
 * where a model is configured it puts them into words, and where it fails to, the statistical analysis
 * is given with a note saying so.
 */
export const analysisOf = async (
  findings: Findings,
  { clock, model }: AnalysisDeps,
): Promise<Analysis> => {
  const { subject, summary, why, recipe } = findings;
  const head = { id: subject.id, platform: subject.platform };
  const generatedAt = isoOf(clock.now());
  const statistical: Analysis = {
    ...head,
    method: 'statistical',
    generatedAt,
    summary,
    why: [...why],
    recipe,
  };
  if (model === undefined) return statistical;
  const words = await askModel(model, findings);
  if ('words' in words) return { ...head, method: 'model', generatedAt, ...words.words };
  const note = `The configured model did not write this: ${words.failed} This is the statistical analysis.`;
  return { ...statistical, summary: `${summary} ${note}`, note };
};

/** `analysisOf` what the lake knows of a video as of an instant; undefined for an unknown one. */
export const analyzeVideo = async (
  lake: Lake,
  query: AnalysisQuery,
  deps: AnalysisDeps,
): Promise<Analysis | undefined> => {
  const findings = findingsAbout(lake, query);
  return findings === undefined ? undefined : analysisOf(findings, deps);
};
