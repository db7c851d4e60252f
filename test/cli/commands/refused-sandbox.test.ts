import { expect, test } from 'vitest';
import { plantedLake } from '../../learn/why/lab-lake.ts';
import { eventually } from '../../support/eventually.ts';
import { runCommand } from '../../support/run-command.ts';

/** Sockets that this process listens on. */
const listening = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

test.each([['schedule', '--sandbox'], ['analyze', 'tt_3', '--upstream'], ['sync']])(
  '%s %s ends where the lake lets no made-up world in: the sandbox it started is closed',
  async (...argv) => {
    const { dataDir } = plantedLake(10);
    const before = listening();
    const { code, err } = await runCommand(argv, { dataDir, sandboxCreators: 5 });
    expect([code, err]).toEqual([2, expect.stringMatching(/holds real data, and a sandbox/)]);
    // fewer where one of an earlier test was still being closed
    await eventually(() => expect(listening()).toBeLessThanOrEqual(before));
  },
);
