import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Writes npm-shrinkwrap.json for the package that is being packed: the lockfile without what only
// development needs, so that who installs trendlake gets the very versions it was tested with.

const root = join(import.meta.dirname, '..');

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; devDependencies?: unknown }>
  >;
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile;
const packages = Object.fromEntries(
  Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { devDependencies: _, ...entry }]) => [path, entry]),
);
const text = JSON.stringify({ ...lock, packages }, null, 2);
writeFileSync(join(root, 'npm-shrinkwrap.json'), `${text}\n`);
