import { expect, test } from 'vitest';
import { costText, orCost } from '../../src/base/money.ts';
import { freshFolder } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';

test('what calls cost', () => {
  expect(costText(12_345, { per1000: 4.5, currency: 'EUR' })).toBe('55.55 EUR');
  expect(costText(1_000_000, { per1000: 2, currency: '' })).toBe('2,000.00');
  expect(orCost(5, undefined)).toBe('');
});

test('with a price, plan says what calls cost; without one it speaks of calls alone', async () => {
  const env = { TRENDLAKE_PRICE_PER_1000: '4.50 EUR' };
  const { out } = await runCommand(['plan'], { dataDir: freshFolder(), env });
  expect(out).toMatch(/^0 of 50,000 calls spent, 0\.00 EUR;/);
  expect(out).toMatch(/up to \d+ calls, \d\.\d\d EUR, /);
  expect((await runCommand(['plan'], { dataDir: freshFolder() })).out).not.toContain('EUR');
});
