import { expect, test } from 'vitest';
import { Sessions } from '../../src/serve/auth/sessions.ts';

const NOW = Date.UTC(2026, 2, 9);

test('keeps twenty sessions of a key: a further one ends the one used longest ago', () => {
  const sessions = new Sessions();
  const tokens = Array.from({ length: 20 }, () => sessions.open('own', NOW));
  const [first = '', second = ''] = tokens;
  expect(sessions.keyHashOf(first, NOW)).toBe('own'); // used now
  const last = sessions.open('own', NOW);
  expect(sessions.keyHashOf(second, NOW)).toBeUndefined();
  for (const token of [first, last]) expect(sessions.keyHashOf(token, NOW)).toBe('own');
});

test('one key that signs in without end ends no session of another', () => {
  const sessions = new Sessions();
  const other = sessions.open('other', NOW);
  for (let count = 0; count < 10_001; count++) sessions.open('greedy', NOW);
  expect(sessions.keyHashOf(other, NOW)).toBe('other');
});
