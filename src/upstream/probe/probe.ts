import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import {
  noteTransport,
  probeExtras,
  probeGrowth,
  probeOthers,
  probeRate,
} from './probe-details.ts';
import { probePaging } from './probe-paging.ts';
import { probePages } from './probe-size.ts';
import {
  OutOfCallsError,
  type ProbeConfig,
  type ProbeFinding,
  ProbeState,
  type SendProbe,
} from './probe-state.ts';
import { probeFeeds, probeHashtags, probePeriods } from './probe-words.ts';

/** Everything a probe found. */
export interface ProbeResult {
  /** True if every list can be read with `upstream`. */
  readonly ok: boolean;
  readonly findings: readonly ProbeFinding[];
  /** The setting `upstream`. */
  readonly upstream: UpstreamSettings;
  /** Parts that cannot be read, each with a question for the operator. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Settings without empty objects. */
const cleaned = (settings: UpstreamSettings): UpstreamSettings =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([, value]) => typeof value !== 'object' || Object.keys(value).length > 0,
    ),
  );

/**
 * Asks a service about every point that the interface leaves open. Lists come first, so that few calls
 * find what a sync needs.
 */
export const probe = async (config: ProbeConfig, send: SendProbe): Promise<ProbeResult> => {
  const state = new ProbeState(config, send);
  let isOut = false;
  const step = async (part: string, isNeeded: boolean, work: () => Promise<void>) => {
    try {
      if (!isOut) return await work();
    } catch (error) {
      if (!(error instanceof OutOfCallsError)) throw error;
      isOut = true;
    }
    const question = 'Probe again with a larger --max-calls.';
    if (isNeeded) state.fail(part, question, 'the calls were used up before');
    else
      state.note({
        part,
        found: `not asked. ${question}`,
        certainty: 'unknown',
        evidence: 'the calls were used up before',
      });
  };
  await step('feeds', true, async () => {
    const feeds = await probeFeeds(state);
    probeRate(state, feeds);
    const [longest] = feeds.toSorted((a, b) => b.list.list.length - a.list.list.length);
    if (longest === undefined) return;
    await step('paging', true, async () => {
      const pages = await probePages(state, longest);
      if (pages !== undefined) await probePaging(state, pages);
    });
    await step('periods', true, () => probePeriods(state, longest));
    await step('hashtags', true, () => probeHashtags(state));
    await step('growth timeline', false, () => probeGrowth(state, longest));
    await step('creator and search', false, () => probeOthers(state, longest));
    await step('error body and HEAD', false, () => probeExtras(state, longest));
  });
  noteTransport(state);
  return {
    ok: state.problems.size === 0,
    findings: state.findings,
    upstream: cleaned(state.settings),
    problems: state.problems,
  };
};
