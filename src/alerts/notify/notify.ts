import type { Lake } from '../../lake/open.ts';
import { secretsOf } from '../webhooks/subscriptions.ts';
import { type ChannelDeps, messageFor, sendTo } from './channel.ts';
import {
  type Condition,
  type JudgedKind,
  markTold,
  noteConditions,
  untoldNotices,
} from './conditions.ts';
import { type ExpectedSource, lakeConditions, staleSources } from './judge.ts';
import { watchConditions } from './watch-conditions.ts';

/** What whoever runs a night knows and the lake does not say. */
export interface Known {
  /** When each source should have answered. */
  readonly sources: readonly ExpectedSource[];
  /** That the month's calls will not last, in a sentence; null: they will. */
  readonly quota: string | null;
  /** Chores that were done, and whether each failed. */
  readonly chores: readonly { readonly name: string; readonly failed: boolean }[];
}

/** Notes what needs attention and what is resolved. A second time finds nothing. */
export const judgeConditions = (lake: Lake, known: Known, now: number): void => {
  const failedChores = known.chores.filter(({ failed }) => failed);
  const holding: Condition[] = [
    ...lakeConditions(lake, now),
    ...watchConditions(lake),
    ...staleSources(lake, known.sources, now),
    ...(known.quota === null
      ? []
      : [{ kind: 'quota' as const, subject: '', sentence: known.quota }]),
    ...failedChores.map(({ name }) => ({
      kind: 'chore' as const,
      subject: name,
      sentence: `${name} failed; the log shows why. It is retried.`,
    })),
  ];
  const judged: JudgedKind[] = [
    ...(['run', 'drift', 'endpoint', 'stale', 'quota', 'clock', 'watch'] as const).map((kind) => ({
      kind,
    })),
    // one that was not done now may fail still
    ...known.chores.map(({ name }) => ({ kind: 'chore' as const, subject: name })),
  ];
  noteConditions(lake, holding, { judged, now });
};

/**
 * Sends unsent notices where `TRENDLAKE_NOTIFY` says, each once. What fails is sent the next time.
 * @returns why they could not be sent; undefined when they were, or there are none
 */
export const sendNotices = async (
  lake: Lake,
  channel: string,
  deps: Omit<ChannelDeps, 'secrets'>,
): Promise<string | undefined> => {
  const now = deps.clock.now();
  const notices = untoldNotices(lake);
  if (notices.length === 0) return undefined;
  const secrets = secretsOf(lake);
  try {
    const failure = await sendTo(channel, messageFor(notices, now), { ...deps, secrets });
    if (failure === undefined) markTold(lake, notices, now);
    return failure;
  } finally {
    secrets.close();
  }
};
