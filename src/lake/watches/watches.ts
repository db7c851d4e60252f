import { createHash } from 'node:crypto';
import type { Platform, WatchKind } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { foldHandle, foldName } from '../../base/wire/folding.ts';
import type { Lake } from '../open.ts';
import { prepare, type RowOf, required } from '../prepare.ts';
import { spellingsOf } from '../read/spellings.ts';
import { prepared, statement } from '../statements.ts';
import type { WatchSubject } from './watch-subject.ts';

/** A watch with its tags. Instants are Unix ms. */
export interface Watch extends WatchSubject {
  readonly id: string;
  readonly everyMs: number;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly createdAt: number;
  readonly until: number | null;
  readonly pausedAt: number | null;
  /** Set when the service ended it, such as "not found (404)". */
  readonly pausedReason: string | null;
  readonly lastAt: number | null;
  readonly nextAt: number;
}

/** Cadence of a watch that states none. */
export const DEFAULT_EVERY_MS = DAY_MS;

/** A watch to add. Null keeps what a watch of the same subject has. */
export interface NewWatch extends WatchSubject {
  /** Null without an earlier watch: `DEFAULT_EVERY_MS`. */
  readonly everyMs: number | null;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly until: number | null;
}

/** Chooses watches; an empty filter chooses all. */
export interface WatchFilter {
  readonly tag?: string;
  readonly id?: string;
  /** Watches that are active at this instant (Unix ms): neither paused nor past their end. */
  readonly activeAt?: number;
}

const SELECT = `
  select id, kind, platform, subject, every_ms as everyMs, note, created_at as createdAt, until,
    paused_at as pausedAt, paused_reason as pausedReason, last_at as lastAt, next_at as nextAt,
    (select json_group_array(tag) from (
      select tag from watch_tags t where t.watch_id = w.id order by tag)) as tags
  from watches w
  where (@tag is null or id in (select watch_id from watch_tags where tag = @tag))
    and (@id is null or id = @id)
    and (@activeAt is null or paused_at is null and coalesce(until > @activeAt, 1))
  order by created_at, rowid`;

const ROW = {
  id: 'text',
  kind: 'text',
  platform: 'platforms',
  subject: 'text',
  everyMs: 'number',
  note: 'text?',
  createdAt: 'number',
  until: 'number?',
  pausedAt: 'number?',
  pausedReason: 'text?',
  lastAt: 'number?',
  nextAt: 'number',
  tags: 'text',
} as const;

const watchOf = (row: RowOf<typeof ROW>): Watch => ({
  ...row,
  kind: row.kind as Watch['kind'],
  platform: row.platform === '' ? null : row.platform,
  tags: JSON.parse(row.tags) as string[],
});

/** The form under which tags are stored and compared. */
export const foldTag = (tag: string): string => foldName(tag.trim());

/** Watches, oldest first. */
export const listWatches = (lake: Pick<Lake, 'sqlite'>, filter: WatchFilter = {}): Watch[] =>
  prepare(lake.sqlite, SELECT, ROW)
    .all({
      tag: filter.tag === undefined ? null : foldTag(filter.tag),
      id: filter.id ?? null,
      activeAt: filter.activeAt ?? null,
    })
    .map(watchOf);

/** @throws UsageError if no watch has this id */
const requireWatch = (lake: Pick<Lake, 'sqlite'>, id: string): Watch => {
  const [watch] = listWatches(lake, { id });
  if (watch === undefined) throw new UsageError(`No watch ${id} exists. \`watch list\` shows all.`);
  return watch;
};

const idOf = ({ kind, platform, subject }: WatchSubject): string =>
  `w_${createHash('sha256')
    .update(JSON.stringify([kind, platform, subject]))
    .digest('hex')
    .slice(0, 12)}`;

/** The watch that one to add would update; undefined if its subject is not watched. */
export const watchOfSubject = (
  lake: Pick<Lake, 'sqlite'>,
  { kind, platform, subject }: WatchSubject,
): Watch | undefined => {
  const sql = 'select id from watches where kind = ? and platform = ? and subject = ?';
  const id = prepare(lake.sqlite, sql, 'text').get(kind, platform ?? '', subject);
  return id === undefined ? undefined : listWatches(lake, { id })[0];
};

const writeTags = ({ sqlite }: Pick<Lake, 'sqlite'>, id: string, tags: readonly string[]): void => {
  const insert = sqlite.prepare(
    'insert into watch_tags (watch_id, tag) values (?, ?) on conflict do nothing',
  );
  for (const tag of tags) insert.run(id, foldTag(tag));
};

const SAVE = `
  insert into watches (id, kind, platform, subject, every_ms, note, created_at, until, next_at)
  values (@id, @kind, @platform, @subject, coalesce(@everyMs, ${DEFAULT_EVERY_MS}), @note, @now, @until, @now)
  on conflict (kind, platform, subject) do update set every_ms = coalesce(@everyMs, every_ms),
    note = coalesce(@note, note), until = coalesce(@until, iif(until > @now, until, null)),
    paused_at = null, paused_reason = null,
    next_at = min(next_at, coalesce(last_at, @now) + coalesce(@everyMs, every_ms))
  returning id`;

/**
 * Adds a watch. One with the same subject is updated instead: it keeps its tags and the fields that
 * the new one does not state, and is active again. Ids follow from the subject, so the same watch has
 * the same id in every lake.
 */
export const addWatch = (lake: Pick<Lake, 'sqlite'>, watch: NewWatch, now: number): Watch => {
  const { kind, subject, everyMs, note, until, tags } = watch;
  const row = { id: idOf(watch), kind, platform: watch.platform ?? '', subject };
  const id = lake.sqlite
    .transaction((): string => {
      const save = prepare(lake.sqlite, SAVE, 'text');
      const saved = required(save.get({ ...row, everyMs, note, until, now }));
      writeTags(lake, saved, tags);
      return saved;
    })
    .immediate();
  return requireWatch(lake, id);
};

/** Removes a watch with its tags and search results. @throws UsageError if no watch has this id */
export const removeWatch = (lake: Pick<Lake, 'sqlite'>, id: string): Watch => {
  const watch = requireWatch(lake, id);
  lake.sqlite.prepare('delete from watches where id = ?').run(id);
  return watch;
};

/** Pauses a watch, or resumes it with `pausedAt` null. @throws UsageError if no watch has this id */
export const pauseWatch = (
  lake: Pick<Lake, 'sqlite'>,
  id: string,
  {
    pausedAt,
    reason = null,
  }: { readonly pausedAt: number | null; readonly reason?: string | null },
): Watch => {
  requireWatch(lake, id);
  lake.sqlite
    .prepare('update watches set paused_at = ?, paused_reason = ? where id = ?')
    .run(pausedAt, reason, id);
  return requireWatch(lake, id);
};

/** Pauses the active watches of a subject that the service does not have. Returns their ids. */
export const endWatches = (
  lake: Pick<Lake, 'sqlite'>,
  watched: WatchSubject,
  { at, reason }: { readonly at: number; readonly reason: string },
): string[] =>
  prepare(
    lake.sqlite,
    `update watches set paused_at = ?, paused_reason = ?
     where kind = ? and platform in ('', ?) and subject = ? and paused_at is null returning id`,
    'text',
  ).all(at, reason, watched.kind, watched.platform ?? '', watched.subject);

const SERVED = `last_at = max(coalesce(last_at, 0), @at), next_at = max(next_at, @at + every_ms)`;

/** Records an observation (Unix ms) of the watched subject of a request. */
export const serveWatches = (
  lake: Lake,
  { kind, platform, subject }: WatchSubject,
  at: number,
): void => {
  statement(
    lake,
    `update watches set ${SERVED} where kind = @kind and platform = @platform and subject = @subject`,
  ).run({ kind, platform: platform ?? '', subject, at });
};

/** Records an observation (Unix ms) of one watch. */
export const serveWatch = ({ sqlite }: Pick<Lake, 'sqlite'>, id: string, at: number): void => {
  sqlite.prepare(`update watches set ${SERVED} where id = @id`).run({ id, at });
};

/**
 * Records observations of watched videos that lists and profiles showed since half their cadence
 * before they became due, so that they are not requested again.
 */
export const serveSeenVideos = ({ sqlite }: Pick<Lake, 'sqlite'>): void => {
  sqlite
    .prepare(
      `update watches as w set last_at = s.at, next_at = s.at + w.every_ms
       from (
         select i.id, (select max(o.observed_at) from video_snapshot o where o.video_key = v.key) as at
         from watches i join video v on v.id = i.subject where i.kind = 'video') s
       where s.id = w.id and s.at > coalesce(w.last_at, 0) and s.at > w.next_at - w.every_ms / 2`,
    )
    .run();
};

/** Creators whose profile is requested serve the video watches that their last profile showed. */
export const videosOfProfile = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  { platform, subject }: WatchSubject,
): string[] =>
  prepare(
    sqlite,
    `select v.id from creator c join creator_snapshot p on p.creator_key = c.key
       join video v on v.platform = c.platform and v.user in (${spellingsOf('@folded')})
       join video_snapshot s on s.video_key = v.key and s.observed_at = p.observed_at
     where c.platform = @platform and c.handle in (${spellingsOf('@folded')})
       and p.observed_at = (select max(l.observed_at) from creator_snapshot l where l.creator_key = c.key)`,
    'text',
  ).all({ platform, folded: subject });

const TAGS_OF = {
  video: 'select tag from tagged_videos where video_id = @id',
  creator: `select t.tag from watches w join watch_tags t on t.watch_id = w.id
    where w.kind = 'creator' and w.platform = @platform and w.subject = @folded`,
  hashtag: `select t.tag from watches w join watch_tags t on t.watch_id = w.id
    where w.kind = 'hashtag' and w.platform in ('', @platform) and w.subject = @folded`,
} as const;

/** Tags whose watches cover a video, creator or hashtag, in order. */
export const tagsOfSubject = (
  lake: Lake,
  { kind, id, platform }: { kind: keyof typeof TAGS_OF; id: string; platform: Platform | null },
): string[] => {
  const folded = kind === 'creator' ? foldHandle(id) : foldName(id);
  return prepared(lake, `select distinct tag from (${TAGS_OF[kind]}) order by tag`, 'text').all({
    id,
    folded,
    platform: platform ?? '',
  });
};

/** Ids of watches that collect the results of a search, and the words to search for. */
export const searchWatches = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  { words, platform }: { readonly words: string; readonly platform: Platform | undefined },
): string[] =>
  prepare(
    sqlite,
    `select id from watches where platform = @platform and (
       kind = 'search' and subject = @words or kind = 'hashtag' and '#' || subject = @words)`,
    'text',
  ).all({ platform: platform ?? '', words });

/** Words that find a watch's videos; undefined for creators and videos. */
export const searchWords = ({
  kind,
  subject,
}: {
  kind: WatchKind;
  subject: string;
}): string | undefined =>
  kind === 'search' ? subject : kind === 'hashtag' ? `#${subject}` : undefined;
