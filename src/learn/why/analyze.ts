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

/** Findings from the lake as of an instant; undefined for an unknown video. */
export const findingsAbout = (lake: Lake, { id, asOf }: AnalysisQuery): Findings | undefined => {
  const subject = readSubject(lake, id, asOf);
  return subject === undefined ? undefined : findingsOf(lake, subject, asOf);
};

/** A configured model only rewords the numbers. If it fails, the statistical text is used, with a note. */
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
  const note = `This is the statistical analysis, because the configured model failed: ${words.failed}`;
  return { ...statistical, summary: `${summary} ${note}`, note };
};

/** @returns undefined for an unknown video */
export const analyzeVideo = async (
  lake: Lake,
  query: AnalysisQuery,
  deps: AnalysisDeps,
): Promise<Analysis | undefined> => {
  const findings = findingsAbout(lake, query);
  return findings === undefined ? undefined : analysisOf(findings, deps);
};
