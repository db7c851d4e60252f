import type { Clock } from '../clock.ts';
import { isoOf } from '../iso.ts';
import type { Lake } from '../lake/open.ts';
import type { Analysis } from '../wire/analysis-shapes.ts';
import { readSubject } from './cohorts.ts';
import { findingsOf } from './findings.ts';
import { askModel, type ModelSettings } from './model.ts';

/**
 * Why a video went viral (or did not) as of an instant, and how to make one like it. The numbers are
 * always the lake's; where a model is configured it puts them into words, and where it fails to,
 * the statistical analysis is given with a note saying so. Reads only; undefined for an unknown video.
 */
export const analyzeVideo = async (
  lake: Lake,
  { id, asOf }: { readonly id: string; readonly asOf: number },
  deps: { readonly clock: Pick<Clock, 'now'>; readonly model?: ModelSettings | undefined },
): Promise<Analysis | undefined> => {
  const subject = readSubject(lake, id, asOf);
  if (subject === undefined) return undefined;
  const findings = findingsOf(lake, subject, asOf);
  const { summary, why, recipe } = findings;
  const head = { id, platform: subject.platform };
  const generatedAt = isoOf(deps.clock.now());
  const statistical: Analysis = {
    ...head,
    method: 'statistical',
    generatedAt,
    summary,
    why: [...why],
    recipe,
  };
  if (deps.model === undefined) return statistical;
  const words = await askModel(deps.model, findings);
  if ('words' in words) return { ...head, method: 'model', generatedAt, ...words.words };
  const note = `The configured model did not write this: ${words.failed} This is the statistical analysis.`;
  return { ...statistical, summary: `${summary} ${note}`, note };
};
