import type { Platform } from '../../../schema/vocabulary.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import type { Lake } from '../open.ts';
import { type ComparedCreator, compareCreator } from '../read/compare-creators.ts';
import { withPlatform } from './resolve-subject.ts';
import { parseSubject } from './watch-subject.ts';

/**
 * Figures of creators by handle or profile address. `since` and `at` are Unix ms.
 * @throws UsageError for a name that is not a creator of the lake
 */
export const compareNamed = (
  lake: Lake,
  names: readonly string[],
  {
    platform: chosen,
    since,
    at,
  }: { readonly platform: Platform | null; readonly since: number; readonly at: number },
): ComparedCreator[] =>
  names.map((name) => {
    const written = name.startsWith('@') || name.includes('/') ? name : `@${name}`;
    const { kind, platform, subject } = withPlatform(
      lake,
      parseSubject(written, { platform: chosen }),
    );
    if (kind !== 'creator' || platform === null)
      throw new UsageError(`${name} is not a creator. Use @handle or the address of a profile.`);
    const found = compareCreator(lake, { platform, handle: subject, since, at });
    if (found !== undefined) return found;
    throw new UsageError(
      `@${subject} is not in the lake on ${platform}. Follow the creator with \`${commandText(`watch add @${subject} --platform ${platform}`)}\`.`,
    );
  });
