import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type FleetWorld, startMachine } from './world.ts';

const KEYS = 200;
const LOADERS = 2;

/** Admits calls of many keys at a rate, and settles them; each commit waits for the standby. */
export const proveLoad = async (
  world: FleetWorld,
  { seconds, perSecond }: { seconds: number; perSecond: number },
): Promise<void> => {
  const { say } = world;
  const loads = await Promise.all(
    Array.from({ length: LOADERS }, async (_, each) => {
      const child = startMachine(world, `loader${each}`, [
        '--keys',
        String(KEYS / LOADERS),
        '--perSecond',
        String(perSecond / LOADERS),
        '--seconds',
        String(seconds),
      ]);
      const told = text(child.stdout as NonNullable<typeof child.stdout>);
      await once(child, 'exit');
      return JSON.parse(await told) as { seconds: number; tookMs: number[] };
    }),
  );
  const tookMs = loads.flatMap((load) => load.tookMs).toSorted((a, b) => a - b);
  const percentile = (share: number): number =>
    tookMs[Math.floor(share * (tookMs.length - 1))] ?? NaN;
  const admissions = tookMs.length / Math.max(...loads.map((load) => load.seconds));
  say('keys, admissions a second', `${KEYS}, ${admissions.toFixed(0)} of ${perSecond} asked`);
  say(
    'admission p50, p99, longest',
    `${percentile(0.5).toFixed(1)}, ${percentile(0.99).toFixed(1)}, ${percentile(1).toFixed(1)} ms`,
  );
};
