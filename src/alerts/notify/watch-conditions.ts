import { commandText } from '../../base/installation.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { spellingsOf } from '../../lake/read/spellings.ts';
import { listWatches, type Watch } from '../../lake/watches/watches.ts';
import type { Condition } from './conditions.ts';

const RENAMED = `
  select w.id, v.user from watches w
    join video_revision r on r.user in (${spellingsOf('w.subject')})
    join video v on v.key = r.video_key and v.platform = w.platform
  where w.kind = 'creator' and w.paused_at is null and v.user is not null
    and not exists (select 1 from video o where o.platform = w.platform
      and o.user in (${spellingsOf('w.subject')}) and o.first_seen_at >= r.until_at)
  order by r.until_at, r.video_key`;

const nameOf = ({ kind, platform, subject }: Watch): string =>
  kind === 'creator' ? `@${subject} on ${platform}` : subject;

/** Watches whose creator or video vanished, went private or has a new handle. */
export const watchConditions = (lake: Lake): Condition[] => {
  const renamed = new Map(
    prepare(lake.sqlite, RENAMED, { id: 'text', user: 'text' })
      .all()
      .map(({ id, user }) => [id, user]),
  );
  return listWatches(lake).flatMap((watch): Condition[] => {
    const { id, platform, subject, pausedReason } = watch;
    const of = { kind: 'watch', subject: id } as const;
    if (pausedReason !== null)
      return [
        {
          ...of,
          sentence: `${nameOf(watch)} is not watched any more: ${pausedReason.replace(/\.$/, '')}. Try again with \`${commandText(`watch resume ${id}`)}\`, or run \`${commandText(`watch remove ${id}`)}\`.`,
        },
      ];
    const user = renamed.get(id);
    if (user === undefined || foldHandle(user) === subject) return [];
    return [
      {
        ...of,
        sentence: `${nameOf(watch)} has a new handle: @${user}. Run \`${commandText(`watch add @${user} --platform ${platform}`)}\` and \`${commandText(`watch remove ${id}`)}\`.`,
      },
    ];
  });
};
