import type { Price } from './config/setting-readers.ts';

/** What so many calls cost, such as `12.40 EUR`. */
export const costText = (calls: number, { per1000, currency }: Price): string => {
  const amount = ((calls * per1000) / 1000).toLocaleString('en', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return currency === '' ? amount : `${amount} ${currency}`;
};

/** `, 12.40 EUR`, to be put behind a number of calls; '' where no price is set. */
export const orCost = (calls: number, price: Price | undefined): string =>
  price === undefined ? '' : `, ${costText(calls, price)}`;
