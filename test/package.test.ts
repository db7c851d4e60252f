import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const packed = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  private?: boolean;
  publishConfig: { provenance?: boolean };
  dependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional?: boolean }>;
  files: string[];
  scripts: Record<string, string>;
};

test('only a workflow can publish the package: npm refuses provenance elsewhere', () => {
  expect(packed.private).toBeUndefined();
  expect(packed.publishConfig.provenance).toBe(true);
});

test('users install neither the tools of the schema nor the S3 client', () => {
  const unwanted = ['drizzle-orm', 'drizzle-kit', 'openai', '@aws-sdk/client-s3'];
  expect(Object.keys(packed.dependencies).filter((name) => unwanted.includes(name))).toEqual([]);
  expect(packed.peerDependenciesMeta['@aws-sdk/client-s3']).toEqual({ optional: true });
});

test('the docs install the version that is packed', () => {
  const pages = ['docs/guides/operating.md', 'docs/guides/library.md'];
  for (const page of pages)
    expect(readFileSync(join(root, page), 'utf8')).toContain(`trendlake-${packed.version}.tgz`);
});

test('the package ships the versions it was tested with', () => {
  expect(packed.files).toContain('npm-shrinkwrap.json');
  expect(packed.scripts.prepack).toContain('tools/write-shrinkwrap.ts');
});

test.each(['trendlake.config.json', 'npm-shrinkwrap.json', 'data/service.db'])(
  '%s is not committed',
  (path) => {
    const ignored = execFileSync('git', ['check-ignore', '--no-index', path], { cwd: root });
    expect(ignored.toString().trim()).toBe(path);
  },
);
