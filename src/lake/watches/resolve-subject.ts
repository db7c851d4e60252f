import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { wasErased } from '../erased.ts';
import type { Lake } from '../open.ts';
import { prepare } from '../prepare.ts';
import { type ComparedCreator, compareCreator } from '../read/compare-creators.ts';
import { spellingsOf } from '../read/spellings.ts';
import { type ParsedSubject, parseSubject, type WatchSubject } from './watch-subject.ts';

/** Platforms on which the lake knows a creator of this handle. */
export const platformsOfHandle = ({ sqlite }: Pick<Lake, 'sqlite'>, handle: string): Platform[] =>
  prepare(
    sqlite,
    `select distinct platform from video where user in (${spellingsOf('@folded')})
     union select platform from creator where handle in (${spellingsOf('@folded')}) order by 1`,
    'platform',
  ).all({ folded: foldHandle(handle) });

/**
 * Finds the platform of a handle.
 * @throws UsageError if a handle exists on several platforms or on none that the lake knows
 */
export const withPlatform = (lake: Pick<Lake, 'sqlite'>, parsed: ParsedSubject): WatchSubject => {
  if (parsed.kind !== 'handle') return parsed;
  const known = platformsOfHandle(lake, parsed.subject);
  const [platform] = known;
  if (known.length === 1 && platform !== undefined)
    return { kind: 'creator', platform, subject: parsed.subject };
  throw new UsageError(
    known.length === 0
      ? `@${parsed.subject} is not in the lake, so its platform is unknown. Add --platform ${PLATFORMS.join('|')}.`
      : `@${parsed.subject} exists on ${known.join(' and ')}. Choose one with --platform.`,
  );
};

/**
 * As `withPlatform`, for a subject to watch.
 * @throws UsageError also if the subject was erased
 */
export const resolveSubject = (lake: Pick<Lake, 'sqlite'>, parsed: ParsedSubject): WatchSubject => {
  const found = withPlatform(lake, parsed);
  const { kind, platform, subject } = found;
  const isErased =
    (kind === 'video' && wasErased(lake.sqlite, { kind, id: subject })) ||
    (kind === 'creator' &&
      platform !== null &&
      wasErased(lake.sqlite, { kind, platform, handle: subject }));
  if (isErased)
    throw new UsageError(
      `${subject} was erased with forget, so its data would be dropped. Nothing was saved.`,
    );
  return found;
};

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
