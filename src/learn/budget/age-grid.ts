/**
 * Ages of a video on a scale of equal ratios. Growth slows with age, so that what an hour means to
 * a video of a day, a day means to one of a month: one step of the grid is always a fifth of the age.
 */
export const AGE_RATIO = 1.2;
/** The youngest age told apart, hours. */
const YOUNGEST_HOURS = 0.5;
/** Points of the grid: the last is 4 years and 8 months. */
export const AGE_STEPS = 64;

const LOG_RATIO = Math.log(AGE_RATIO);

/** Age in hours at each point of the grid. */
export const AGE_HOURS: Float64Array = Float64Array.from(
  { length: AGE_STEPS },
  (_, step) => YOUNGEST_HOURS * AGE_RATIO ** step,
);

/** Where an age lies on the grid, as a fraction between points: 0 below it, more than its end above. */
export const ageStep = (ageHours: number): number =>
  ageHours > YOUNGEST_HOURS ? Math.log(ageHours / YOUNGEST_HOURS) / LOG_RATIO : 0;

/** Hours at a fractional point of the grid, and beyond its end. */
export const hoursAt = (step: number): number => YOUNGEST_HOURS * AGE_RATIO ** step;
