import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

// Removes declarations from dist that the package's entry points do not reach: a fifth of the tarball.
// Part of npm run build.

const DIST = join(import.meta.dirname, '..', 'dist');
const ENTRIES = ['src/public/client.d.ts', 'src/public/lake.d.ts'];
const IMPORT = /(?:from |import\(|import )['"](\.[^'"]+)\.[jt]s['"]/g;

const reached = new Set<string>();
const visit = (path: string): void => {
  if (reached.has(path)) return;
  reached.add(path);
  for (const [, to = ''] of readFileSync(path, 'utf8').matchAll(IMPORT))
    visit(join(dirname(path), `${to}.d.ts`));
};

for (const entry of ENTRIES) visit(join(DIST, entry));
for (const name of globSync('**/*.d.ts', { cwd: DIST }))
  if (!reached.has(join(DIST, name))) rmSync(join(DIST, name));
