import { expect, test } from 'vitest';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

test('a demo of the made-up world notices the same events each time', async () => {
  const noticed = async (): Promise<string> => {
    const dataDir = freshFolder();
    const env = {
      TRENDLAKE_LIST_ITEMS: '100',
      TRENDLAKE_GROWTH_CALLS: '5',
      TRENDLAKE_CREATOR_CALLS: '2',
    };
    await runCommand(['demo', '--nights', '3', '--at', '2026-11-10'], { dataDir, env });
    const argv = ['query', 'select id from events order by id', '--json'];
    return (await runCommand(argv, { dataDir })).out;
  };
  const first = await noticed();
  expect(JSON.parse(first).length).toBeGreaterThan(0);
  expect(await noticed()).toBe(first);
});
