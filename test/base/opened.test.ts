import { expect, test } from 'vitest';
import { Opened } from '../../src/base/opened.ts';

test('what was opened is closed the last first, each once, and one that fails keeps no other open', async () => {
  const closed: string[] = [];
  const opened = new Opened();
  const thing = (name: string, close = async (): Promise<void> => void closed.push(name)) =>
    opened.add({ name, close });
  expect(thing('lake').name).toBe('lake');
  thing('ledger', () => Promise.reject(new Error('the ledger is away')));
  thing('socket');
  await expect(opened.close()).rejects.toThrow('the ledger is away');
  await opened.close();
  expect(closed).toEqual(['socket', 'lake']);
});
