import type { FleetWorld } from './world.ts';

/** Calls that arrived at an upstream by the name of their request, beside those in the ledger. */
export const compareCounts = async (
  { db, say }: FleetWorld,
  arrived: ReadonlyMap<string, number>,
  { lakes, mostInFlight }: { readonly lakes: string; readonly mostInFlight: number },
): Promise<boolean> => {
  const rows = await db.rows<{ id: string; calls: number }>(
    `select split_part(request, '/', 3) as id, count(*)::int as calls
     from ${db.schema}.calls where sent and lake like $1 group by 1`,
    [lakes],
  );
  const counted = new Map(rows.map(({ id, calls }) => [id, calls]));
  const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0);
  const more = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number =>
    sum([...a].map(([id, calls]) => Math.max(0, calls - (b.get(id) ?? 0))));
  const lost = more(arrived, counted);
  const neverArrived = more(counted, arrived);
  say('calls in the ledger', String(sum(counted.values())));
  say('arrived and not counted', String(lost));
  say('counted and not arrived', `${neverArrived} (at most ${mostInFlight})`);
  return lost === 0 && neverArrived <= mostInFlight;
};

/** Notes arrivals of the machines' requests by their names. */
export const arrivals = (): {
  readonly arrived: Map<string, number>;
  readonly note: (path: string) => void;
} => {
  const arrived = new Map<string, number>();
  const note = (path: string): void => {
    const id = /videos\/([^/]+)\//.exec(path)?.[1] ?? '';
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
  };
  return { arrived, note };
};
