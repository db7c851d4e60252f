import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Writes dist/commit, the commit that `--version` shows. TRENDLAKE_COMMIT replaces git in a container. Part
// of npm run build.

const root = join(import.meta.dirname, '..');

const commit = (): string => {
  const given = process.env.TRENDLAKE_COMMIT ?? '';
  if (given !== '') return given;
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, stdio: [...stdio] }).toString();
  } catch {
    return ''; // neither git nor a word of it: the version stands alone
  }
};

const found = commit().trim();
if (/^[0-9a-f]{7,64}$/.test(found)) writeFileSync(join(root, 'dist', 'commit'), `${found}\n`);
