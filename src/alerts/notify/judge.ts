import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { commandText } from '../../base/installation.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { clockProblems } from '../../lake/clock-skew.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { readDrift, type SeenDrift } from '../../lake/read/drift.ts';
import { spellingsOf } from '../../lake/read/spellings.ts';
import { listWatches, type Watch } from '../../lake/watches/watches.ts';
import { targetOrigin } from '../webhooks/chat.ts';
import { type Condition, type ConditionKind, noteConditions } from './conditions.ts';

const condition = (kind: ConditionKind, subject: string, sentence: string): Condition => ({
  kind,
  subject,
  sentence,
});

/** Drift first seen longer ago is known: the first check reports nothing old. */
const NEW_DRIFT_MS = DAY_MS;

const NEWEST_DRIFT = 20;
const LONGEST_SHAPE = 200;

/** Samples before and after a change, and the setting that can fix it. */
const shapesText = (drift: readonly SeenDrift[], resource: string, field: string): string => {
  const seen = drift.find((known) => known.resource === resource && known.field === field);
  if (seen === undefined) return '';
  const { former, sample, setting } = seen;
  const shapes =
    former === null
      ? ''
      : ` Before: ${former.slice(0, LONGEST_SHAPE)} Now: ${sample.slice(0, LONGEST_SHAPE)}`;
  const fix =
    setting === null
      ? ''
      : ` Set upstream.${setting}, then run \`${commandText('replay')}\`; \`${commandText('probe')}\` finds the value.`;
  return shapes + fix;
};

/** Part of the reason of a run that a spent quota or balance paused (src/upstream/judge.ts). */
const SPENT_BALANCE = 'the balance of the key is spent';

/** Conditions visible in the lake at `now`: the last run, drift, endpoints. */
export const lakeConditions = (lake: Lake, now: number): Condition[] => {
  const { sqlite } = lake;
  const run = prepare(
    sqlite,
    `select id, outcome, summary ->> 'reason' as reason from runs
       where finished_at is not null order by id desc limit 1`,
    { id: 'number', outcome: 'text', reason: 'text?' },
  ).get();
  const isBroke = run?.outcome === 'paused' && run.reason?.includes(SPENT_BALANCE) === true;
  const failed = run !== undefined && (isBroke || ['failed', 'partial'].includes(run.outcome));
  const drift = prepare(
    sqlite,
    `select resource, count(*) as fields, min(field) as field from drift
       where first_seen_at > ? group by resource order by resource`,
    { resource: 'text', fields: 'number', field: 'text' },
  ).all(now - NEW_DRIFT_MS);
  const endpoints = prepare(
    sqlite,
    `select id, url, disabled_reason as reason from subscriptions
       where disabled_at is not null and disabled_reason <> 'its key was revoked'`,
    { id: 'text', url: 'text', reason: 'text' },
  ).all();
  const failing = prepare(
    sqlite,
    'select name, failure from alerts where failure is not null and enabled order by name',
    { name: 'text', failure: 'text' },
  ).all();
  return [
    ...clockProblems(lake, now)
      .slice(0, 1)
      .map((sentence) => condition('clock', '', sentence)),
    ...(failed
      ? [
          condition(
            'run',
            '',
            `Run ${run.id} ended as ${run.outcome}${run.reason === null ? '' : `: ${run.reason.replace(/\.$/, '')}`}. \`${commandText('status')}\` shows what failed.`,
          ),
        ]
      : []),
    ...drift.map(({ resource, fields, field }) =>
      condition(
        'drift',
        resource,
        `The service's ${resource} changed shape: ${field}${fields > 1 ? ` and ${fields - 1} more` : ''}. \`${commandText('query "select * from drift"')}\` shows it.${shapesText(readDrift(sqlite, NEWEST_DRIFT), resource, field)}`,
      ),
    ),
    ...endpoints.map(({ id, url, reason }) =>
      condition(
        'endpoint',
        id,
        `The webhook endpoint ${targetOrigin(url)} (${id}) is disabled: ${reason}.`,
      ),
    ),
    ...failing.map(({ name, failure }) =>
      condition('alert', name, `The alert "${name}" cannot be evaluated: ${failure}`),
    ),
  ];
};

/** A source, when it last answered and when it should have, Unix ms. */
export interface ExpectedSource {
  readonly job: string;
  readonly staleAt: number;
}

/** Sources that should have answered by now. */
export const staleSources = (
  lake: Lake,
  sources: readonly ExpectedSource[],
  now: number,
): Condition[] => {
  const last = prepare(
    lake.sqlite,
    'select max(finished_at) from calls where job = ? and status = 200 and error is null',
    'number?',
  );
  return sources.flatMap(({ job, staleAt }) => {
    const answeredAt = required(last.get(job));
    if (answeredAt === null || answeredAt >= staleAt) return [];
    const hours = Math.round((now - answeredAt) / HOUR_MS);
    return [
      condition(
        'stale',
        job,
        `No successful ${job} run for ${hours} hours. \`${commandText('status')}\` shows why.`,
      ),
    ];
  });
};

const RENAMED = `
  select w.id, v.user from watches w
    join video_revision r on r.user in (${spellingsOf('w.subject')})
    join video v on v.key = r.video_key and v.platform = w.platform
  where w.kind = 'creator' and w.paused_at is null and v.user is not null
    and not exists (select 1 from video o where o.platform = w.platform
      and o.user in (${spellingsOf('w.subject')}) and o.first_seen_at >= r.until_at)
  order by r.until_at, r.video_key`;

const nameOf = ({ kind, platform, subject }: Watch): string =>
  kind === 'creator' ? `@${subject} on ${platform}` : subject;

/** Watches whose creator or video vanished, went private or has a new handle. */
export const watchConditions = (lake: Lake): Condition[] => {
  const renamed = new Map(
    prepare(lake.sqlite, RENAMED, { id: 'text', user: 'text' })
      .all()
      .map(({ id, user }) => [id, user]),
  );
  return listWatches(lake).flatMap((watch): Condition[] => {
    const { id, platform, subject, pausedReason } = watch;
    if (pausedReason !== null)
      return [
        condition(
          'watch',
          id,
          `${nameOf(watch)} is not watched any more: ${pausedReason.replace(/\.$/, '')}. Try again with \`${commandText(`watch resume ${id}`)}\`, or run \`${commandText(`watch remove ${id}`)}\`.`,
        ),
      ];
    const user = renamed.get(id);
    if (user === undefined || foldHandle(user) === subject) return [];
    return [
      condition(
        'watch',
        id,
        `${nameOf(watch)} has a new handle: @${user}. Run \`${commandText(`watch add @${user} --platform ${platform}`)}\` and \`${commandText(`watch remove ${id}`)}\`.`,
      ),
    ];
  });
};

/** Facts known to the runner of a night and not in the lake. */
export interface Known {
  /** When each source should have answered. */
  readonly sources: readonly ExpectedSource[];
  /** That the month's calls will not last, in a sentence; null: they will. */
  readonly quota: string | null;
  /** Chores that were done, and whether each failed. */
  readonly chores: readonly { readonly name: string; readonly failed: boolean }[];
}

/** Kinds that every judgement examines. */
const ALWAYS_JUDGED: readonly ConditionKind[] = [
  'run',
  'drift',
  'endpoint',
  'stale',
  'quota',
  'clock',
  'alert',
  'watch',
];

/** Notes what needs attention and what is resolved. A second time finds nothing. */
export const judgeConditions = (lake: Lake, known: Known, now: number): void => {
  const { sources, quota, chores } = known;
  const holding = [
    ...lakeConditions(lake, now),
    ...watchConditions(lake),
    ...staleSources(lake, sources, now),
    ...(quota === null ? [] : [condition('quota', '', quota)]),
    ...chores
      .filter(({ failed }) => failed)
      .map(({ name }) =>
        condition('chore', name, `${name} failed; the log shows why. It is retried.`),
      ),
  ];
  const judged = [
    ...ALWAYS_JUDGED.map((kind) => ({ kind })),
    // a chore that was not done now may still fail
    ...chores.map(({ name }) => ({ kind: 'chore' as const, subject: name })),
  ];
  noteConditions(lake, holding, { judged, now });
};
