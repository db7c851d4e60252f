import { inHours, number } from './figures.ts';

const RULES: Readonly<Record<string, string>> = {
  'first timeline': 'its timeline was never pulled',
  'first profile': 'the profile was never pulled',
  'event of the upstream': 'an event of the service named it',
  due: 'due',
  surplus: 'calls were left over',
};

const numberIn = (reason: Readonly<Record<string, unknown>>, name: string): number | undefined => {
  const value = reason[name];
  return typeof value === 'number' ? value : undefined;
};

/** Why a request was chosen, as the budget wrote it down, in words with its numbers. */
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
    error === undefined ? '' : `its count is expected to be ${number(100 * error)} % off`,
    list === undefined ? '' : `in a list again in ${inHours(Math.round(list))}`,
    shown === undefined || tracked === undefined
      ? ''
      : `expected to show ${number(shown)} of ${number(tracked)} videos followed`,
  ]
    .filter((part) => part !== '')
    .join('; ');
};
