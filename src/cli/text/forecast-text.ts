import { isoOf } from '../../base/iso.ts';
import type { ForecastState } from '../../learn/forecast/state.ts';
import { grouped } from './figures.ts';

/** Where the forecasts of a platform and way of first sight stand, on one line. */
export const forecastStateText = (its: ForecastState): string => {
  const name = `  ${(its.platform === '' ? 'all' : its.platform).padEnd(10)} ${its.kind.padEnd(14)} `;
  const learnt = its.learntAt === null ? '' : `, learnt ${isoOf(its.learntAt)}`;
  if (its.state === 'used') return `${name}from ${grouped(its.finished)} ${its.counts}${learnt}`;
  if (its.state === 'dropped') return `${name}not used: ${its.reason ?? 'unknown'}${learnt}`;
  if (its.state === 'waiting') return `${name}will be learnt after the next sync`;
  return `${name}silent: ${grouped(its.finished)} of the ${grouped(its.finished + its.lacking)} ${its.counts} it takes`;
};
