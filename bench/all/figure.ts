import { appendFileSync } from 'node:fs';

/** A measured figure beside its goal: the median of the rounds, with the least and the greatest. */
export interface Figure {
  /** The subject measured, and the peer it was compared with. */
  readonly what: string;
  readonly median: number;
  /** Absent where it was measured once. */
  readonly least?: number;
  readonly greatest?: number;
  /** `x`: times what the peer needs or gives. */
  readonly unit: 'x' | 's' | 'ms' | 'MB' | 'bytes' | '%';
  /** As much or less, in the same unit; null: stated without a goal. For `%`: as much or more. */
  readonly goal: number | null;
}

/** The file to which a bench started by `bench all` writes its figures. */
export const FIGURES_FILE = 'BENCH_FIGURES';

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

/** The figure that several rounds gave. */
export const figureOf = (
  { what, unit, goal }: Pick<Figure, 'what' | 'unit' | 'goal'>,
  rounds: readonly number[],
): Figure => {
  const order = sorted(rounds);
  const [least, median, greatest] = [
    order[0],
    order[Math.floor(order.length / 2)],
    order.at(-1),
  ].map((number) => number ?? Number.NaN) as [number, number, number];
  return rounds.length < 2
    ? { what, unit, goal, median }
    : { what, unit, goal, median, least, greatest };
};

const digits = (number: number): string =>
  number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toPrecision(2);

const withUnit = (number: number, unit: Figure['unit']): string =>
  `${digits(number)}${unit === 'x' || unit === '%' ? '' : ' '}${unit}`;

/** A figure in words: `1.2x`, `12 ms`. */
export const measuredText = ({ median, unit }: Figure): string => withUnit(median, unit);

/** Least to greatest; empty where it was measured once. */
export const spreadText = ({ least, greatest }: Figure): string =>
  least === undefined || greatest === undefined ? '' : `${digits(least)} to ${digits(greatest)}`;

export const goalText = ({ goal, unit }: Figure): string =>
  goal === null ? '' : withUnit(goal, unit);

/** True if a figure is as good as its goal, or has none. */
export const reaches = ({ median, goal, unit }: Figure): boolean =>
  goal === null || (unit === '%' ? median >= goal : median <= goal);

/** Prints a figure, and reports it to `bench all` if that asks. */
export const tellFigure = (figure: Figure): void => {
  const spread = spreadText(figure);
  const goal = figure.goal === null ? '' : `, goal ${goalText(figure)}`;
  console.log(
    `${figure.what}: ${measuredText(figure)}${spread === '' ? '' : ` (${spread})`}${goal}`,
  );
  const file = process.env[FIGURES_FILE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
};
