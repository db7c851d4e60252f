import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { UsageError } from '../../base/errors.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { wasErased } from '../erased.ts';
import type { Lake } from '../open.ts';
import { prepare } from '../prepare.ts';
import { spellingsOf } from '../read/spellings.ts';
import type { ParsedSubject, WatchSubject } from './watch-subject.ts';

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
