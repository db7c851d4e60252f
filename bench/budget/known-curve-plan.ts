/** The best refreshes of one video whose counts are known at every step, from whichever step it was seen. */
export interface KnownPlan {
  /** [step]: least cost from a refresh of that step to the end: error added up (steps), prices paid. */
  readonly cost: Float64Array;
  /** [step]: when the next is made after a refresh of that step; the last step means never. */
  readonly next: Int32Array;
}

/**
 * The best refresh times of one video for a price per refresh, with its whole curve known, exactly.
 *
 * `views[t]` never falls and is at least 1; `inverse[t]` is the integral of 1/V from 0 to t. With
 * the error between refreshes a < b, (b - a) - V(a) * (inverse[b] - inverse[a]), the cost to go is
 *   G(a) = min over b > a of  (b - a) - V(a) * (inverse[b] - inverse[a]) + price(b) + G(b)
 * where the last step costs nothing. For fixed b that is a line in V(a) of slope -inverse[b]; going
 * back in time slopes only rise and V only falls, so the lower envelope of the lines answers every
 * a in one pass (the convex hull trick): O(steps) instead of O(steps^2).
 */
export const planKnownCurve = (
  views: Float64Array,
  inverse: Float64Array,
  price: (step: number) => number,
): KnownPlan => {
  const end = views.length - 1;
  const cost = new Float64Array(end + 1);
  const next = new Int32Array(end + 1).fill(end);
  const height = new Float64Array(end + 1);
  const hull = new Int32Array(end + 1);
  height[end] = end;
  hull[0] = end;
  let first = 0;
  let size = 1;
  const heightAt = (b: number, x: number): number => (height[b] ?? 0) - (inverse[b] ?? 0) * x;
  for (let a = end - 1; a >= 0; a--) {
    const x = views[a] ?? 1;
    while (first + 1 < size && heightAt(hull[first + 1] ?? 0, x) <= heightAt(hull[first] ?? 0, x))
      first++;
    const b = hull[first] ?? end;
    next[a] = b;
    cost[a] = heightAt(b, x) - a + x * (inverse[a] ?? 0);
    height[a] = a + price(a) + (cost[a] ?? 0);
    while (
      size - first >= 2 &&
      isHidden(inverse, height, [hull[size - 2] ?? 0, hull[size - 1] ?? 0, a])
    )
      size--;
    hull[size++] = a;
  }
  return { cost, next };
};

/** True if the line of `b` is nowhere below those of `a` and `c`, slopes rising from a to c. */
const isHidden = (
  inverse: Float64Array,
  height: Float64Array,
  [a, b, c]: readonly [number, number, number],
): boolean => {
  const ab = (inverse[a] ?? 0) - (inverse[b] ?? 0);
  const ac = (inverse[a] ?? 0) - (inverse[c] ?? 0);
  const heightA = height[a] ?? 0;
  return ((height[c] ?? 0) - heightA) * ab <= ((height[b] ?? 0) - heightA) * ac;
};

/** The refreshes a plan makes after one at `from`, ascending. */
export const refreshesAfter = ({ next }: KnownPlan, from: number): number[] => {
  const end = next.length - 1;
  const refreshes: number[] = [];
  for (let at = next[from] ?? end; at < end; at = next[at] ?? end) refreshes.push(at);
  return refreshes;
};
