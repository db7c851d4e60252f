import { html } from 'hono/html';
import type { Price } from '../../base/config/setting-readers.ts';
import { minuteOf } from '../../base/iso.ts';
import { costText } from '../../base/money.ts';
import type { BurnDown, PipelineNow, QuotaState } from '../../run/pipeline/pipeline-state.ts';
import { digits, instantTime, number } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { lineChart } from './line-chart.ts';
import { notice } from './marks.ts';

const cost = (calls: number, price: Price | undefined): Html =>
  price === undefined ? NOTHING : html` <span class="soft">(${costText(calls, price)})</span>`;

const burnDown = ({ month, spentLine, planLine }: BurnDown, now: number): Html => {
  const points = (line: BurnDown['planLine']) => line.map(({ at, left }) => ({ x: at, y: left }));
  const even = [
    { x: month.startsAt, y: month.limit },
    { x: month.endsAt, y: 0 },
  ];
  const endsWith = planLine.at(-1)?.left ?? month.remaining;
  return lineChart({
    label: `Calls left of ${digits(month.limit)}: ${digits(month.remaining)} now, ${digits(Math.round(endsWith))} planned at ${minuteOf(month.endsAt)}`,
    mark: { x: now, name: 'now' },
    lines: [
      { name: 'spent evenly', kind: 'even', points: even },
      { name: 'left', kind: 'main', points: points(spentLine), isStepped: true },
      {
        name: 'left as planned',
        kind: 'plan',
        isStepped: true,
        points: [...points(planLine), { x: month.endsAt, y: endsWith }],
      },
    ].filter(({ points }) => points.length > 0),
  });
};

const sentence = (
  { month, plan, forecast, spentAt }: QuotaState,
  price: Price | undefined,
): Html => {
  const calls = digits(Math.round(forecast));
  if (plan.fits)
    return html`<p>On schedule you will use <b>${calls}</b> of ${digits(month.limit)} calls${cost(forecast, price)} this month. The month ends ${instantTime(month.endsAt)}. A reserve of ${digits(plan.reserve)} calls is kept for manual requests.</p>`;
  return notice(
    html`On schedule you will be <b>${digits(plan.missing)}</b> calls short this month.${spentAt === null ? '' : html` The quota runs out before ${instantTime(spentAt)}.`} ${plan.advice.join(' ')}`,
  );
};

const byJob = (quota: QuotaState, price: Price | undefined): Html => {
  const ahead = new Map(quota.plan.jobs.map((job) => [job.job, job]));
  const spent = new Map(quota.byJob.map((job) => [job.job, job]));
  const names = [...new Set([...spent.keys(), ...ahead.keys()])];
  if (names.length === 0) return NOTHING;
  return html`<div class="scroll"><table class="data"><caption class="unseen">Calls by job</caption><thead><tr><th scope="col">job</th><th scope="col" class="n">spent</th><th scope="col" class="n no-phone">failed</th><th scope="col" class="n no-phone">rows a call</th>${price === undefined ? '' : html`<th scope="col" class="n">cost</th>`}<th scope="col" class="n">planned</th><th scope="col" class="n">runs</th></tr></thead><tbody>${names.map(
    (name) => {
      const [was, will] = [spent.get(name), ahead.get(name)];
      return html`<tr><td>${name}</td><td class="n">${digits(was?.calls ?? 0)}</td><td class="n no-phone${(was?.failed ?? 0) > 0 ? ' down' : ''}">${digits(was?.failed ?? 0)}</td><td class="n no-phone">${was === undefined ? number(null) : digits(was.rowsPerCall)}</td>${price === undefined ? '' : html`<td class="n">${costText(was?.calls ?? 0, price)}</td>`}<td class="n">${digits(Math.round(will?.calls ?? 0))}</td><td class="n">${digits(will?.runs ?? 0)}</td></tr>`;
    },
  )}</tbody></table></div>`;
};

const hints = (quota: QuotaState): Html =>
  quota.hints.length === 0
    ? NOTHING
    : html`<h3>Limits reported by the API</h3><ul class="plain small">${quota.hints.map(
        ({ key, name, stated, remaining, seenAt }) =>
          html`<li>${key === undefined ? '' : `key ${key} `}<code>${name}</code> ${remaining === null ? 'unreadable' : html`${digits(remaining)} left`} <span class="soft">(${stated}, ${minuteOf(seenAt)})</span></li>`,
      )}</ul>`;

/** Monthly quota per key, shown with several keys only. */
const keysTable = ({ keys }: QuotaState): Html =>
  keys === undefined
    ? NOTHING
    : html`<div class="scroll"><table class="data"><caption class="unseen">Keys</caption><thead><tr><th scope="col">key</th><th scope="col" class="no-phone">platforms</th><th scope="col" class="n no-phone">last minute</th><th scope="col" class="n">spent</th><th scope="col" class="n">left</th><th scope="col">this month</th></tr></thead><tbody>${keys.map(
        ({ name, platforms, ratePerMinute, month, moment, plan }) =>
          html`<tr><td>${name}</td><td class="no-phone">${platforms.join(', ')}</td><td class="n no-phone">${moment === undefined ? '–' : `${digits(moment.inMinute)} of ${digits(ratePerMinute)}`}</td><td class="n">${digits(month.spent)}</td><td class="n">${digits(month.remaining)}</td><td>${(moment?.pause ?? null) !== null ? html`<span class="down">paused until ${minuteOf(moment?.pause?.untilAt ?? 0)}</span>` : plan.fits ? 'enough' : html`<span class="down">${digits(plan.missing)} short</span>`}</td></tr>`,
      )}</tbody></table></div>`;

const sharedLine = ({ shared, month }: QuotaState): Html =>
  shared === undefined
    ? NOTHING
    : html`<p class="small">All machines share these limits: ${digits(shared.ratePerMinute)} calls a minute and ${digits(month.limit)} a month.${shared.isStated ? '' : ' Not every key made a call within a day. For the others, the settings of this machine are shown.'}</p>`;

/** Calls left this month, and those the schedule will leave. */
export const quotaSection = (
  { quota, origin }: PipelineNow,
  at: number,
  price: Price | undefined,
): Html => {
  if ('unknown' in quota)
    return html`<section><h2>Quota</h2>${notice(`The shared ledger counts the calls, and could not be read. The limits and the remaining quota are unknown: ${quota.unknown}`)}</section>`;
  const { month, warnings } = quota;
  return html`<section><h2>Quota <span class="soft small">${digits(month.spent)} of ${digits(month.limit)} calls spent since ${minuteOf(month.startsAt)}</span></h2>
${origin === 'sandbox' ? notice('These calls went to the built-in sandbox, which has separate limits. The figures show the quota of a real key with these settings.') : NOTHING}${warnings.map(notice)}${sharedLine(quota)}
${quota.lines.map((line) => html`${line.name === undefined || quota.keys === undefined ? NOTHING : html`<h3>Key ${line.name}</h3>`}${burnDown(line, at)}`)}${keysTable(quota)}${sentence(quota, price)}${byJob(quota, price)}${hints(quota)}</section>`;
};
