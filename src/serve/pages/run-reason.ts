import { inHours, number } from './figures.ts';

const RULES: Readonly<Record<string, string>> = {
  'first timeline': 'timeline never pulled',
  'first profile': 'profile never pulled',
  'event of the upstream': 'named in an event from the API',
  due: 'due',
  surplus: 'spare calls available',
};

const numberIn = (reason: Readonly<Record<string, unknown>>, name: string): number | undefined => {
  const value = reason[name];
  return typeof value === 'number' ? value : undefined;
};

/** Reason for a request in words. `reason` is the JSON that the budget stored. */
export const reasonText = (reason: Readonly<Record<string, unknown>>): string => {
  const read = (name: string): number | undefined => numberIn(reason, name);
  const [worth, price] = [read('worthHours'), read('priceHours')];
  const [age, since, error] = [read('ageHours'), read('sinceRefreshHours'), read('expectedError')];
  const [list, shown, tracked] = [
    read('nextListRefreshInHours'),
    read('expectedShown'),
    read('trackedVideos'),
  ];
  const views = read('views');
  const rule = String(reason.rule);
  return [
    RULES[rule] ?? rule,
    views === undefined ? '' : `${number(views)} views`,
    worth === undefined || price === undefined
      ? ''
      : `worth ${number(worth)} h of error, a call costs ${number(price)} h`,
    age === undefined ? '' : `published ${inHours(Math.round(age))} before`,
    since === undefined ? '' : `refreshed ${inHours(Math.round(since))} before`,
    error === undefined ? '' : `count expected to be ${number(100 * error)} % off`,
    list === undefined ? '' : `next list refresh in ${inHours(Math.round(list))}`,
    shown === undefined || tracked === undefined
      ? ''
      : `expected to show ${number(shown)} of ${number(tracked)} tracked videos`,
  ]
    .filter((part) => part !== '')
    .join('; ');
};
