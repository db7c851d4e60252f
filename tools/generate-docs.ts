import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { chooseEntry } from './choose-entry.ts';

// Writes every generated page and then the site; or one of them, by name.
//
//   npm run docs
//   npm run docs NAME [-- OPTIONS]

interface Part {
  readonly about: string;
  /** Arguments of node, from the root of the project. */
  readonly run: readonly string[];
  /** True: it runs only when it is named. */
  readonly byNameOnly?: boolean;
}

/** Every generated part of the docs, by name. */
export const PARTS: Readonly<Record<string, Part>> = {
  dictionary: { about: 'docs/reference/tables.md', run: ['tools/generate-dictionary.ts'] },
  examples: { about: 'the tables in examples/', run: ['tools/generate-examples.ts'] },
  settings: {
    about: 'docs/reference/settings.md and commands.md, and trendlake.config.schema.json',
    run: ['tools/generate-settings.ts'],
  },
  metrics: { about: 'docs/reference/metrics.md', run: ['tools/generate-metrics.ts'] },
  cookbook: {
    about: 'the answers in docs/guides/cookbook.md, from a demo that takes half a minute',
    run: ['tools/generate-cookbook.ts'],
  },
  site: {
    about: 'the docs as a site with search, in site/ or in the folder you name',
    run: ['tools/generate-site.ts'],
  },
  links: {
    about: 'check every link and every command of the docs',
    run: [
      'node_modules/vitest/vitest.mjs',
      'run',
      'test/docs/site.test.ts',
      'test/docs/commands.test.ts',
    ],
    byNameOnly: true,
  },
  pictures: {
    about: 'the screenshots, with Chromium, in some minutes',
    run: ['tools/take-pictures.ts'],
    byNameOnly: true,
  },
};

if (import.meta.main) {
  const [name, ...options] = process.argv.slice(2);
  const chosen =
    name === undefined
      ? Object.values(PARTS).filter(({ byNameOnly }) => byNameOnly !== true)
      : [chooseEntry('docs', PARTS, name)];
  for (const { about, run } of chosen) {
    if (name === undefined) process.stdout.write(`${about}\n`);
    const { status } = spawnSync(process.execPath, [...run, ...options], {
      cwd: join(import.meta.dirname, '..'),
      stdio: 'inherit',
    });
    if (status !== 0) process.exit(status ?? 1);
  }
}
