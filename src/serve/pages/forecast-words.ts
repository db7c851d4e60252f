import { type ForecastState, kindWords } from '../../learn/forecast/state.ts';
import { digits } from './figures.ts';

const STATES: Readonly<Record<ForecastState['state'], (state: ForecastState) => string>> = {
  used: ({ finished, counts, withheld }) =>
    [
      `in use, from ${digits(finished)} ${counts}`,
      ...withheld.map(({ hours, reason }) => `views in ${hours} h not shown: ${reason}`),
    ].join('; '),
  waiting: () => 'has enough data, starts after the next sync',
  dropped: ({ reason }) => `not used: ${reason ?? 'unknown'}`,
  silent: ({ finished, lacking, counts }) =>
    `needs ${digits(finished + lacking)} ${counts}, has ${digits(finished)}`,
};

/** Kind and state of forecasts, for people. */
export const forecastStateWords = (state: ForecastState): string =>
  `${kindWords(state.kind)}: ${STATES[state.state](state)}`;

/** States in words. A line that holds for the platform and for all platforms is shown once. */
export const forecastStateLines = (states: readonly ForecastState[]): string[] => {
  const own = new Set(states.filter(({ platform }) => platform !== '').map(forecastStateWords));
  const ofAll = states.filter(({ platform }) => platform === '').map(forecastStateWords);
  const more = ofAll.filter((words) => !own.has(words)).map((words) => `all platforms, ${words}`);
  return [...own, ...more];
};
