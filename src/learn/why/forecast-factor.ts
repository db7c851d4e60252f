import { isoOf } from '../../base/iso.ts';
import type { WhyFactor } from '../../base/wire/analysis-shapes.ts';
import type { KeptForecast } from '../forecast/shapes.ts';
import { countText } from './statistics.ts';
import { strengthOf } from './strength.ts';

/** A video is on top one time in ten. */
const USUAL = 0.1;

export const forecastFactor = (forecast: KeptForecast | undefined): WhyFactor[] => {
  if (forecast === undefined) return [];
  const { topProbability, madeAt, samples, horizons } = forecast;
  const day = horizons.find(({ hours, median }) => hours === 24 && median !== null);
  const ahead =
    day === undefined
      ? ''
      : ` Expected a day later: ${countText(day.median ?? 0)} views (80 % interval ${countText(day.low ?? 0)} to ${countText(day.high ?? 0)}).`;
  return [
    {
      factor: 'forecast',
      finding: `It is ${Math.round(100 * topProbability)} % likely to finish in the top 10 % of its cohort by growth, based on ${countText(samples)} videos.${ahead}`,
      strength: topProbability > USUAL ? strengthOf((topProbability - USUAL) / (1 - USUAL)) : 0,
      evidence: {
        groupSize: samples,
        topProbability,
        madeAt: isoOf(madeAt),
        horizons,
        direction: topProbability >= 0.5 ? 'for' : 'unclear',
      },
    },
  ];
};
