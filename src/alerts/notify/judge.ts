import { commandText } from '../../base/installation.ts';
import { clockProblems } from '../../lake/clock-skew.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { readDrift, type SeenDrift } from '../../lake/read/drift.ts';
import { targetOrigin } from '../webhooks/chat.ts';
import type { Condition } from './conditions.ts';

/** Drift first seen at or before this is known: the first check reports nothing old. */
const DRIFT_DAYS_MS = 86_400_000;

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
  ).all(now - DRIFT_DAYS_MS);
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
      .map((sentence) => ({ kind: 'clock' as const, subject: '', sentence })),
    ...(failed
      ? [
          {
            kind: 'run' as const,
            subject: '',
            sentence: `Run ${run.id} ended as ${run.outcome}${run.reason === null ? '' : `: ${run.reason.replace(/\.$/, '')}`}. \`${commandText('status')}\` shows what failed.`,
          },
        ]
      : []),
    ...drift.map(({ resource, fields, field }) => ({
      kind: 'drift' as const,
      subject: resource,
      sentence: `The service's ${resource} changed shape: ${field}${fields > 1 ? ` and ${fields - 1} more` : ''}. \`${commandText('query "select * from drift"')}\` shows it.${shapesText(readDrift(sqlite, NEWEST_DRIFT), resource, field)}`,
    })),
    ...endpoints.map(({ id, url, reason }) => ({
      kind: 'endpoint' as const,
      subject: id,
      sentence: `The webhook endpoint ${targetOrigin(url)} (${id}) is disabled: ${reason}.`,
    })),
    ...failing.map(({ name, failure }) => ({
      kind: 'alert' as const,
      subject: name,
      sentence: `The alert "${name}" cannot be evaluated: ${failure}`,
    })),
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
    const hours = Math.round((now - answeredAt) / 3_600_000);
    return [
      {
        kind: 'stale' as const,
        subject: job,
        sentence: `No successful ${job} run for ${hours} hours. \`${commandText('status')}\` shows why.`,
      },
    ];
  });
};
