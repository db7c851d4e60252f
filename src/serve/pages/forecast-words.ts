import type { ForecastState } from '../../learn/forecast/state.ts';
import { digits } from './figures.ts';

const STATES: Readonly<Record<ForecastState['state'], (state: ForecastState) => string>> = {
  used: ({ finished, counts }) => `in use, from ${digits(finished)} ${counts}`,
  waiting: () => 'enough was watched; it is learnt after the next sync',
  dropped: ({ reason }) => `not used: ${reason ?? 'unknown'}`,
  silent: ({ finished, lacking, counts }) =>
    `silent: ${digits(finished)} of the ${digits(finished + lacking)} ${counts} it takes`,
};

/** Whether forecasts of one sort are made, and what they lack, in words. */
export const forecastStateWords = (state: ForecastState): string => STATES[state.state](state);
