/** Grid of ages with equal ratios, because growth slows with age: each step is a fifth of the age. */
export const AGE_RATIO = 1.2;
/** Smallest age of the grid. */
const YOUNGEST_HOURS = 0.5;
/** Points of the grid: the last is 4 years and 8 months. */
export const AGE_STEPS = 64;

const LOG_RATIO = Math.log(AGE_RATIO);

/** Age in hours at each point of the grid. */
export const AGE_HOURS: Float64Array = Float64Array.from(
  { length: AGE_STEPS },
  (_, step) => YOUNGEST_HOURS * AGE_RATIO ** step,
);

/** Fractional grid point of an age: 0 below the grid, past its end above. */
export const ageStep = (ageHours: number): number =>
  ageHours > YOUNGEST_HOURS ? Math.log(ageHours / YOUNGEST_HOURS) / LOG_RATIO : 0;

/** Hours at a fractional point of the grid, and beyond its end. */
export const hoursAt = (step: number): number => YOUNGEST_HOURS * AGE_RATIO ** step;
