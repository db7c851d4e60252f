import type { ForecastState } from '../../learn/forecast/state.ts';
import { digits } from './figures.ts';

const STATES: Readonly<Record<ForecastState['state'], (state: ForecastState) => string>> = {
  used: ({ finished, counts }) => `in use, from ${digits(finished)} ${counts}`,
  waiting: () => 'has enough data, starts after the next sync',
  dropped: ({ reason }) => `not used: ${reason ?? 'unknown'}`,
  silent: ({ finished, lacking, counts }) =>
    `needs ${digits(finished + lacking)} ${counts}, has ${digits(finished)}`,
};

export const forecastStateWords = (state: ForecastState): string => STATES[state.state](state);
