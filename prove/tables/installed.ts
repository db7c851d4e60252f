import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'];
const ENGINES = join(import.meta.dirname, '..', '..', 'test', 'engines');
/** Exact by its package.json; a lock file would name builds for platforms that the registry lacks. */
const INSTALL = ['install', '--no-package-lock', '--prefix', ENGINES];
const PATIENCE_MS = 600_000;

const stands = (command: string): boolean => spawnSync(command, ['--version']).status === 0;

/** Has the S3 server's packages at hand, installing them where that can be done. Says why not. */
export const lacksStore = (): string | undefined => {
  if (stands('radosgw') && stands('ceph-osd')) return undefined;
  const quiet = { stdio: 'ignore', timeout: PATIENCE_MS } as const;
  try {
    execFileSync('apt-get', ['update'], quiet);
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...PACKAGES], quiet);
    return undefined;
  } catch {
    return `The S3 server cannot be had: \`apt-get install ${PACKAGES.join(' ')}\` did not work here.`;
  }
};

/** Has the independent reader at hand, in its own package. Says why not. */
export const lacksReader = (): string | undefined => {
  if (existsSync(join(ENGINES, 'node_modules', 'chdb'))) return undefined;
  try {
    execFileSync('npm', INSTALL, { stdio: 'ignore', timeout: PATIENCE_MS });
    return undefined;
  } catch {
    return `The independent reader cannot be had: \`npm ci --prefix ${ENGINES}\` did not work here.`;
  }
};
