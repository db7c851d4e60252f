/**
 * Number of inputs of a property: in `npm test` a quarter of them, the first as the seed has it;
 * all if PROVE is set (`npm run prove draws`).
 */
export const draws = (all: number): number =>
  process.env.PROVE === undefined ? Math.ceil(all / 4) : all;
