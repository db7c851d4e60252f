import type { ForecastRange } from './misses.ts';
import { quantile } from './quantiles.ts';

/** Bin 0 holds unknown values. */
const BINS = 32;

export interface Binned {
  readonly rows: number;
  readonly bins: readonly Uint8Array[];
  /** [feature]: upper edges; bin b + 1 holds values over edge b - 1 and at most edge b. */
  readonly edges: readonly Float32Array[];
}

const edgesOf = (column: Float32Array): Float32Array => {
  const step = Math.max(1, Math.floor(column.length / 20_000));
  const known = column.filter((value, row) => row % step === 0 && !Number.isNaN(value)).sort();
  const edges: number[] = [];
  for (let bin = 1; bin < BINS - 1; bin++) {
    const edge = known[Math.floor((bin * known.length) / (BINS - 1))];
    if (edge !== undefined && edge !== edges.at(-1)) edges.push(edge);
  }
  return Float32Array.from(edges);
};

const binOf = (edges: Float32Array, value: number): number => {
  if (Number.isNaN(value)) return 0;
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= (edges[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low + 1;
};

/** @param columns one for each feature; NaN: unknown */
export const binned = (rows: number, columns: readonly Float32Array[]): Binned => {
  const edges = columns.map(edgesOf);
  const bins = columns.map((column, feature) =>
    Uint8Array.from(column, (value) => binOf(edges[feature] as Float32Array, value)),
  );
  return { rows, bins, edges };
};

/**
 * Boosted regression trees of one depth, stored as full binary trees. Inner node n goes left if
 * `feature` is at most `cut` or unknown; its children are 2n + 1 and 2n + 2. Leaves follow the inner nodes.
 */
export interface Trees {
  readonly depth: number;
  /** Output before the first tree. */
  readonly start: number;
  /** [tree][inner node]; -1: no split, go left. */
  readonly features: Int16Array;
  readonly cuts: Float32Array;
  /** [tree][leaf], including the learning rate. */
  readonly leaves: Float32Array;
}

/** Odds of an outcome of 0 or 1, or a quantile of a number. */
type Aim = { readonly kind: 'odds' } | { readonly kind: 'quantile'; readonly share: number };

export interface Growing {
  readonly trees: number;
  readonly depth: number;
  readonly rate: number;
  /** Per leaf. */
  readonly leastRows: number;
}

/** Gradients and counts share one sum: each row adds its gradient, within -1 to 1, plus this. */
const COUNT = 2 ** 20;
/** Keeps leaves with few rows near 0. */
const RIDGE = 5;

/** Sorts `values` in place. 0 without values. */
const quantileOf = (values: Float64Array, share: number): number => {
  values.sort();
  return values.length === 0 ? 0 : quantile(values, share);
};

interface Work {
  readonly aim: Aim;
  readonly target: Float32Array;
  readonly answer: Float64Array;
  readonly gradient: Float64Array;
  readonly weight: Float64Array;
}

const pull = ({ aim, target, answer, gradient, weight }: Work): void => {
  for (let row = 0; row < target.length; row++) {
    const wanted = target[row] ?? 0;
    const stated = answer[row] ?? 0;
    if (aim.kind === 'odds') {
      const chance = 1 / (1 + Math.exp(-stated));
      gradient[row] = wanted - chance;
      weight[row] = Math.max(1e-6, chance * (1 - chance));
    } else {
      gradient[row] = wanted > stated ? aim.share : aim.share - 1;
      weight[row] = 1;
    }
  }
};

interface Split {
  feature: number;
  bin: number;
  gain: number;
}

/** One level of a growing tree. */
interface Level {
  readonly nodes: number;
  /** [row]: its node in this level. */
  readonly nodeOf: Uint16Array;
  readonly leastRows: number;
  readonly isUsed: (feature: number) => boolean;
}

/** Best split for each node of a level; feature -1 without one. */
const bestSplits = (
  { bins, rows }: Binned,
  { aim, gradient, weight }: Work,
  { nodeOf, nodes, leastRows, isUsed }: Level,
): Split[] => {
  const best = Array.from({ length: nodes }, () => ({ feature: -1, bin: 0, gain: 1e-9 }));
  const packed = new Float64Array(nodes * BINS);
  const pulls = new Float64Array(nodes * BINS);
  const counts = new Float64Array(nodes * BINS);
  // for quantiles every row has weight 1
  const weights = aim.kind === 'odds' ? new Float64Array(nodes * BINS) : counts;
  for (const [feature, column] of bins.entries()) {
    if (!isUsed(feature)) continue;
    packed.fill(0);
    for (let row = 0; row < rows; row++) {
      const cell = (nodeOf[row] as number) * BINS + (column[row] as number);
      packed[cell] = (packed[cell] as number) + (gradient[row] as number) + COUNT;
    }
    for (let cell = 0; cell < packed.length; cell++) {
      const count = Math.round((packed[cell] as number) / COUNT);
      counts[cell] = count;
      pulls[cell] = (packed[cell] as number) - count * COUNT;
    }
    if (weights !== counts) {
      weights.fill(0);
      for (let row = 0; row < rows; row++) {
        const cell = (nodeOf[row] as number) * BINS + (column[row] as number);
        weights[cell] = (weights[cell] as number) + (weight[row] as number);
      }
    }
    for (let node = 0; node < nodes; node++) {
      const from = node * BINS;
      let allPull = 0;
      let allWeight = 0;
      let all = 0;
      for (let cell = from; cell < from + BINS; cell++) {
        allPull += pulls[cell] as number;
        allWeight += weights[cell] as number;
        all += counts[cell] as number;
      }
      const whole = (allPull * allPull) / (allWeight + RIDGE);
      let leftPull = 0;
      let leftWeight = 0;
      let left = 0;
      const split = best[node] as Split;
      for (let bin = 0; bin < BINS - 1; bin++) {
        leftPull += pulls[from + bin] as number;
        leftWeight += weights[from + bin] as number;
        left += counts[from + bin] as number;
        if (left < leastRows) continue;
        if (all - left < leastRows) break;
        const rightPull = allPull - leftPull;
        const gain =
          (leftPull * leftPull) / (leftWeight + RIDGE) +
          (rightPull * rightPull) / (allWeight - leftWeight + RIDGE) -
          whole;
        if (gain > split.gain) Object.assign(split, { feature, bin, gain });
      }
    }
  }
  return best;
};

/** Values before the learning rate. */
const leafValues = (work: Work, nodeOf: Uint16Array, leaves: number): Float64Array => {
  const { aim, target, answer, gradient, weight } = work;
  if (aim.kind === 'odds') {
    const pulls = new Float64Array(leaves);
    const weights = new Float64Array(leaves).fill(RIDGE);
    for (const [row, leaf] of nodeOf.entries()) {
      pulls[leaf] = (pulls[leaf] as number) + (gradient[row] as number);
      weights[leaf] = (weights[leaf] as number) + (weight[row] as number);
    }
    return pulls.map((pull, leaf) => pull / (weights[leaf] as number));
  }
  const misses = Array.from({ length: leaves }, (): number[] => []);
  for (const [row, leaf] of nodeOf.entries())
    misses[leaf]?.push((target[row] as number) - (answer[row] as number));
  return Float64Array.from(misses, (own) => quantileOf(Float64Array.from(own), aim.share));
};

const startOf = (aim: Aim, target: Float32Array): number => {
  if (aim.kind === 'quantile') return quantileOf(Float64Array.from(target), aim.share);
  const share = target.reduce((sum, value) => sum + value, 0) / Math.max(1, target.length);
  const inside = Math.min(0.999, Math.max(0.001, share));
  return Math.log(inside / (1 - inside));
};

/** Each tree uses half of the features, so that no feature hides similar ones. */
const isFeatureShown = (tree: number, feature: number): boolean =>
  (Math.imul(tree * 64 + feature, 0x9e3779b1) >>> 16) % 2 === 0;

/** Deterministic for the order of the rows. @param target one value a row; 0 or 1 for odds */
export const growTrees = (
  sample: Binned,
  target: Float32Array,
  aim: Aim,
  { trees, depth, rate, leastRows }: Growing,
): Trees => {
  const inner = 2 ** depth - 1;
  const leaves = 2 ** depth;
  const start = startOf(aim, target);
  const grown: Trees = {
    depth,
    start,
    features: new Int16Array(trees * inner).fill(-1),
    cuts: new Float32Array(trees * inner),
    leaves: new Float32Array(trees * leaves),
  };
  const work: Work = {
    aim,
    target,
    answer: new Float64Array(sample.rows).fill(start),
    gradient: new Float64Array(sample.rows),
    weight: new Float64Array(sample.rows),
  };
  const nodeOf = new Uint16Array(sample.rows);
  for (let tree = 0; tree < trees; tree++) {
    pull(work);
    nodeOf.fill(0);
    for (let level = 0; level < depth; level++) {
      const nodes = 2 ** level;
      const isUsed = (feature: number): boolean => isFeatureShown(tree, feature);
      const splits = bestSplits(sample, work, { nodes, nodeOf, leastRows, isUsed });
      for (const [node, { feature, bin }] of splits.entries()) {
        const at = tree * inner + nodes - 1 + node;
        grown.features[at] = feature;
        if (feature < 0) continue;
        // with only bin 0 on the left, only unknown values go there
        grown.cuts[at] =
          bin === 0 ? Number.NEGATIVE_INFINITY : (sample.edges[feature]?.[bin - 1] ?? Infinity);
      }
      for (let row = 0; row < sample.rows; row++) {
        const node = nodeOf[row] as number;
        const { feature, bin } = splits[node] as Split;
        const right = feature >= 0 && (sample.bins[feature]?.[row] as number) > bin ? 1 : 0;
        nodeOf[row] = 2 * node + right;
      }
    }
    const values = leafValues(work, nodeOf, leaves);
    for (let leaf = 0; leaf < leaves; leaf++)
      grown.leaves[tree * leaves + leaf] = rate * (values[leaf] as number);
    for (let row = 0; row < sample.rows; row++)
      work.answer[row] =
        (work.answer[row] as number) +
        (grown.leaves[tree * leaves + (nodeOf[row] as number)] as number);
  }
  return grown;
};

export const evaluateTrees = (
  { depth, start, features, cuts, leaves }: Trees,
  row: Float32Array,
): number => {
  const inner = 2 ** depth - 1;
  const trees = leaves.length / (inner + 1);
  let sum = start;
  for (let tree = 0; tree < trees; tree++) {
    let node = 0;
    for (let level = 0; level < depth; level++) {
      const at = tree * inner + node;
      const feature = features[at] as number;
      const right = feature >= 0 && (row[feature] as number) > (cuts[at] as number) ? 2 : 1;
      node = 2 * node + right;
    }
    sum += leaves[tree * (inner + 1) + node - inner] as number;
  }
  return sum;
};

/** Trees of the limits and the median of an 80 % interval. */
export interface RangeTrees {
  readonly low: Trees;
  readonly median: Trees;
  readonly high: Trees;
}

/** The limits leave out a tenth on each side. */
export const growRange = (sample: Binned, target: Float32Array, size: Growing): RangeTrees => {
  const quantile = (share: number): Trees =>
    growTrees(sample, target, { kind: 'quantile', share }, size);
  return { low: quantile(0.1), median: quantile(0.5), high: quantile(0.9) };
};

export const evaluateRange = (
  { low, median, high }: RangeTrees,
  row: Float32Array,
): ForecastRange => ({
  low: evaluateTrees(low, row),
  median: evaluateTrees(median, row),
  high: evaluateTrees(high, row),
});
