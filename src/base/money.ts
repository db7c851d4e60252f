import type { Price } from './config/setting-readers.ts';

/** Price of calls, such as `12.40 EUR`. */
export const costText = (calls: number, { per1000, currency }: Price): string => {
  const amount = ((calls * per1000) / 1000).toLocaleString('en', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return currency === '' ? amount : `${amount} ${currency}`;
};

/** Suffix for a number of calls, such as `, 12.40 EUR`; '' without a price. */
export const orCost = (calls: number, price: Price | undefined): string =>
  price === undefined ? '' : `, ${costText(calls, price)}`;
