import type { Lake } from '../../lake/open.ts';
import { secretsOf } from '../webhooks/subscriptions.ts';
import { type ChannelDeps, sendTo } from './channel.ts';
import {
  type Condition,
  type JudgedKind,
  markTold,
  noteConditions,
  type UnsentNotice,
  untoldNotices,
} from './conditions.ts';
import { type ExpectedSource, lakeConditions, staleSources } from './judge.ts';
import { messageFor } from './message.ts';
import { notifyTargetsById } from './target-id.ts';
import { watchConditions } from './watch-conditions.ts';

/** Facts known to the runner of a night and not in the lake. */
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
    ...(['run', 'drift', 'endpoint', 'stale', 'quota', 'clock', 'alert', 'watch'] as const).map(
      (kind) => ({
        kind,
      }),
    ),
    // one that was not done now may fail still
    ...known.chores.map(({ name }) => ({ kind: 'chore' as const, subject: name })),
  ];
  noteConditions(lake, holding, { judged, now });
};

/**
 * Sends unsent notices to each target of `TRENDLAKE_NOTIFY` once. A target that fails gets them the
 * next time.
 * @returns the failures, without addresses; undefined without a failure
 */
export const sendNotices = async (
  lake: Lake,
  notify: string,
  deps: Omit<ChannelDeps, 'secrets'>,
): Promise<string | undefined> => {
  const now = deps.clock.now();
  if (untoldNotices(lake).length === 0) return undefined;
  const targets = notifyTargetsById(notify);
  const secrets = secretsOf(lake);
  const failures: string[] = [];
  try {
    for (const [id, target] of targets) {
      const notices = untoldNotices(lake).filter(({ toldTo }) => !toldTo.includes(id));
      if (notices.length === 0) continue;
      const failure = await sendTo(target, messageFor(notices, now), { ...deps, secrets });
      if (failure !== undefined) {
        failures.push(failure);
        continue;
      }
      const others = [...targets.keys()].filter((name) => name !== id);
      const isLast = ({ toldTo }: UnsentNotice): boolean =>
        others.every((name) => toldTo.includes(name));
      const [last = [], first = []] = [true, false].map((wanted) =>
        notices.filter((notice) => isLast(notice) === wanted),
      );
      markTold(lake, last, { target: id, isLast: true, now });
      markTold(lake, first, { target: id, isLast: false, now });
    }
  } finally {
    secrets.close();
  }
  return failures.length === 0 ? undefined : failures.join('; ');
};
