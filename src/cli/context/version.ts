import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../base/installation.ts';
import { isObject } from '../../base/json-object.ts';

const textIn = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** Commit of a checkout, from git's files; undefined outside one. */
const checkedOut = (folder: string): string | undefined => {
  const dotGit = textIn(join(folder, '.git'))?.replace(/^gitdir: /, '') ?? join(folder, '.git');
  const head = textIn(join(dotGit, 'HEAD'));
  const ref = head?.startsWith('ref: ') === true ? head.slice(5) : undefined;
  if (ref === undefined) return head;
  const common = join(dotGit, textIn(join(dotGit, 'commondir')) ?? '.');
  const packed = textIn(join(common, 'packed-refs')) ?? '';
  const line = packed.split('\n').find((each) => each.endsWith(` ${ref}`));
  return textIn(join(common, ref)) ?? line?.split(' ')[0];
};

/** `0.1.0 (1a2b3c4)`: the package version and its commit. */
export const versionText = (): string => {
  const folder = packageFolder();
  const about: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const version = isObject(about) ? String(about.version) : '';
  const commit = textIn(join(folder, 'dist', 'commit')) ?? checkedOut(folder);
  return commit === undefined || !/^[0-9a-f]{7,}$/.test(commit)
    ? version
    : `${version} (${commit.slice(0, 7)})`;
};
