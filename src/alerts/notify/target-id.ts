import { createHash } from 'node:crypto';
import { targetsIn } from '../../base/config/notify-targets.ts';

/** Names a target in the lake without its secrets. */
const targetId = (target: string): string =>
  `notify:${createHash('sha256').update(target).digest('hex').slice(0, 16)}`;

/** Targets of `TRENDLAKE_NOTIFY` by id. */
export const notifyTargetsById = (notify: string | undefined): Map<string, string> =>
  new Map(
    (notify === undefined ? [] : targetsIn(notify)).map((target) => [targetId(target), target]),
  );
