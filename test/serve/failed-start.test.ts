import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock, virtualClock } from '../../src/base/clock.ts';
import { UsageError } from '../../src/base/errors.ts';
import { startService } from '../../src/serve/service.ts';
import { freshDataDir } from '../support/fresh.ts';

const FILES = '/proc/self/fd';

/** Files of a folder that this process has open. */
const openIn = (folder: string): string[] =>
  readdirSync(FILES)
    .map((name) => {
      try {
        return readlinkSync(join(FILES, name));
      } catch {
        return ''; // closed meanwhile
      }
    })
    .filter((path) => path.startsWith(folder));

const start = (dataDir: string, publicUrl?: string) =>
  startService({ dataDir, clock: virtualClock(0), machine: systemClock, publicUrl });

test.runIf(process.platform === 'linux')(
  'a service that cannot start leaves nothing of the data directory open',
  async () => {
    const dataDir = freshDataDir();
    await expect(start(dataDir, 'no address')).rejects.toThrow(TypeError);
    expect(openIn(dataDir)).toEqual([]);
    writeFileSync(join(dataDir, 'service.db'), 'no database');
    await expect(start(dataDir)).rejects.toThrow(UsageError);
    expect(openIn(dataDir)).toEqual([]);
  },
);
