import type { Clock } from '../clock.ts';
import type { Lake } from '../lake/open.ts';
import { secretsOf } from '../webhooks/subscriptions.ts';
import { messageFor, sendTo } from './channel.ts';
import {
  type Condition,
  type JudgedKind,
  markTold,
  noteConditions,
  untoldNotices,
} from './conditions.ts';
import { type ExpectedSource, lakeConditions, staleSources } from './judge.ts';

/** What whoever runs a night knows and the lake does not say. */
export interface Known {
  /** When each source should have answered. */
  readonly sources: readonly ExpectedSource[];
  /** That the month's calls will not last, in a sentence; null: they will. */
  readonly quota: string | null;
  /** Chores that were done, and whether each failed. */
  readonly chores: readonly { readonly name: string; readonly failed: boolean }[];
}

/**
 * Judges what is not as it should be, and tells where `TRENDLAKE_NOTIFY` says what began and what is
 * over, each once. What could not be told is told the next time. A second time finds nothing.
 * @returns why it could not be told; undefined when it was, or there was nothing to tell
 */
export const notify = async (
  lake: Lake,
  channel: string,
  known: Known,
  { clock, env }: { clock: Clock; env: NodeJS.ProcessEnv },
): Promise<string | undefined> => {
  const now = clock.now();
  const failedChores = known.chores.filter(({ failed }) => failed);
  const holding: Condition[] = [
    ...lakeConditions(lake, now),
    ...staleSources(lake, known.sources, now),
    ...(known.quota === null
      ? []
      : [{ kind: 'quota' as const, subject: '', sentence: known.quota }]),
    ...failedChores.map(({ name }) => ({
      kind: 'chore' as const,
      subject: name,
      sentence: `${name} failed; the log tells why. It is tried again.`,
    })),
  ];
  const judged: JudgedKind[] = [
    ...(['run', 'drift', 'endpoint', 'stale', 'quota'] as const).map((kind) => ({ kind })),
    // one that was not done now may fail still
    ...known.chores.map(({ name }) => ({ kind: 'chore' as const, subject: name })),
  ];
  noteConditions(lake, holding, { judged, now });
  const notices = untoldNotices(lake);
  if (notices.length === 0) return undefined;
  const secrets = secretsOf(lake);
  try {
    const failure = await sendTo(channel, messageFor(notices, now), { clock, secrets, env });
    if (failure === undefined) markTold(lake, notices, now);
    return failure;
  } finally {
    secrets.close();
  }
};
