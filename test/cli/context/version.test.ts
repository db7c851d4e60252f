import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

test.each(['--version', '-V'])(
  '%s prints the version of the package, and its commit where that is known',
  async (option) => {
    const path = join(import.meta.dirname, '..', '..', '..', 'package.json');
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
    const { code, out, err } = await runCommand([option], { dataDir: freshFolder() });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^\S+( \([0-9a-f]{7}\))?$/);
    expect(out.split(' ')[0]).toBe(version);
  },
);
