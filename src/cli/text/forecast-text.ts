import { isoOf } from '../../base/iso.ts';
import { type ForecastState, kindWords } from '../../learn/forecast/state.ts';
import { grouped } from './figures.ts';

/** Horizons that are not shown, with the reason. */
const withheldText = ({ withheld }: Pick<ForecastState, 'withheld'>): string =>
  withheld.map(({ hours, reason }) => `; views in ${hours} h are not shown: ${reason}`).join('');

/** State of one platform's forecasts, on one line. */
export const forecastStateText = (forecast: ForecastState): string => {
  const name = `  ${(forecast.platform === '' ? 'all' : forecast.platform).padEnd(10)} ${kindWords(forecast.kind).padEnd(24)} `;
  const learnt = forecast.learntAt === null ? '' : `, learned ${isoOf(forecast.learntAt)}`;
  if (forecast.state === 'used')
    return `${name}from ${grouped(forecast.finished)} ${forecast.counts}${learnt}${withheldText(forecast)}`;
  if (forecast.state === 'dropped')
    return `${name}not used: ${forecast.reason ?? 'unknown'}${learnt}`;
  if (forecast.state === 'waiting') return `${name}learned after the next sync`;
  return `${name}needs ${grouped(forecast.finished + forecast.lacking)} ${forecast.counts}, has ${grouped(forecast.finished)}`;
};
