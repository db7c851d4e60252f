import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Prints the CHANGELOG's section of a tag, for its release. Ends with 1 if the tag is not the version of
// package.json or the section is missing.
//
//   node tools/release-notes.ts v0.2.0

/**
 * Section of a version, without its heading.
 * @throws if it is missing or empty
 */
export const releaseNotes = (changelog: string, version: string): string => {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  const notes = section?.replace(/^.*\n/, '').trim() ?? '';
  if (notes === '') throw new Error(`CHANGELOG.md has no section [${version}]. Add it.`);
  return notes;
};

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const tag = process.argv[2] ?? '';
  try {
    if (tag !== `v${version}`)
      throw new Error(`The tag is ${tag} and package.json has ${version}. Use v${version}.`);
    const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
    process.stdout.write(`${notes}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
