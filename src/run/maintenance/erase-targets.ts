import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { platformOfId } from '../../base/wire/fields.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import {
  type ErasedSubject,
  erasedOf,
  type PersonalSubject,
  type SubjectSet,
} from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { spellingsOf } from '../../lake/read/spellings.ts';

// The rows to erase are collected in temporary tables of the connection.

const TABLES = {
  gone_video: 'key integer primary key, id text not null',
  gone_creator: 'key integer primary key',
  gone_handle: 'handle text primary key', // no other row may need it
  gone_event: 'id text primary key',
  gone_watch: 'id text primary key',
  gone_call: 'id integer primary key',
  gone_line: 'request text primary key, erased text not null',
} as const;

const OF_CREATOR = `
  insert or ignore into gone_video
    select key, id from video where platform = @platform and user in (${spellingsOf('@folded')})
    union select v.key, v.id from video_revision r join video v on v.key = r.video_key
      where r.user in (${spellingsOf('@folded')}) and v.platform = @platform`;

const CREATORS = `
  insert or ignore into gone_creator select key from creator
    where platform = @platform and handle in (${spellingsOf('@folded')})`;

const HANDLES = `
  insert or ignore into gone_handle
    select user from video where key in (select key from gone_video) and user is not null
    union select user from video_revision
      where video_key in (select key from gone_video) and user is not null
    union select handle from creator where key in (select key from gone_creator)`;

const WATCHES = `
  insert or ignore into gone_watch
    select id from watches where kind = @kind and subject = @subject and platform = @platform`;

const OF_VIDEOS = `
  insert or ignore into gone_watch
    select id from watches where kind = 'video' and subject in (select id from gone_video);
  insert or ignore into gone_event
    select id from events where subject in (select 'video:' || id from gone_video);`;

const markOne = ({ sqlite }: Lake, subject: PersonalSubject): void => {
  const { kind } = subject;
  if (kind === 'video') {
    const { id } = subject;
    sqlite
      .prepare('insert or ignore into gone_video select key, id from video where id = ?')
      .run(id);
    sqlite
      .prepare('insert or ignore into gone_event select id from events where subject = ?')
      .run(`video:${id}`);
    sqlite.prepare(WATCHES).run({ kind, subject: id, platform: platformOfId(id) ?? '' });
    return;
  }
  const { platform } = subject;
  const folded = foldHandle(subject.handle);
  sqlite.prepare(OF_CREATOR).run({ platform, folded });
  sqlite.prepare(CREATORS).run({ platform, folded });
  sqlite.prepare('insert or ignore into gone_handle (handle) values (?)').run(folded);
  sqlite.prepare(WATCHES).run({ kind, subject: folded, platform });
};

/** Events of creators, in every spelling of their handles. */
const markCreatorEvents = ({ sqlite }: Lake, subjects: readonly PersonalSubject[]): void => {
  const creators = new Set(
    subjects.flatMap((subject) =>
      subject.kind === 'creator' ? [`${subject.platform}/${foldHandle(subject.handle)}`] : [],
    ),
  );
  if (creators.size === 0) return;
  const add = sqlite.prepare('insert or ignore into gone_event (id) values (?)');
  const events = prepare(
    sqlite,
    `select id, platform, substr(subject, 9) as handle from events where subject glob 'creator:*'`,
    { id: 'text', platform: 'text?', handle: 'text' },
  );
  for (const { id, platform, handle } of events.all())
    if (creators.has(`${platform}/${foldHandle(handle)}`)) add.run(id);
};

/** Collects the rows of subjects in the temporary tables. */
export const markTargets = (lake: Lake, subjects: readonly PersonalSubject[]): void => {
  const { sqlite } = lake;
  for (const [table, columns] of Object.entries(TABLES))
    sqlite.exec(`create temp table if not exists ${table} (${columns}); delete from ${table}`);
  for (const subject of subjects) markOne(lake, subject);
  sqlite.exec(HANDLES);
  sqlite.exec(OF_VIDEOS);
  markCreatorEvents(lake, subjects);
};

// Lines of requests, as `calls` and `run_items` hold them, name videos and creators.

const VIDEO_LINE = /^GET \/videos\/([^/]+)\/growth$/;
const CREATOR_LINE = /^GET \/creators\/([^/]+)\/([^/]+)$/;
const ANALYZE_LINE = /^POST \/lab\/analyze \{"id":("(?:[^"\\]|\\.)*")\}$/;

/** The subject of a request's line; undefined for lists. */
const subjectOfLine = (line: string): PersonalSubject | undefined => {
  const video = VIDEO_LINE.exec(line)?.[1];
  if (video !== undefined) return { kind: 'video', id: decodeURIComponent(video) };
  const [, name, handle] = CREATOR_LINE.exec(line) ?? [];
  const platform = PLATFORMS.find((known) => known === name);
  if (platform !== undefined && handle !== undefined)
    return { kind: 'creator', platform, handle: decodeURIComponent(handle) };
  const analyzed = ANALYZE_LINE.exec(line)?.[1];
  return analyzed === undefined ? undefined : { kind: 'video', id: JSON.parse(analyzed) as string };
};

const erasedLine = (line: string): string =>
  line
    .replace(VIDEO_LINE, 'GET /videos/erased/growth')
    .replace(CREATOR_LINE, 'GET /creators/$1/erased')
    .replace(ANALYZE_LINE, 'POST /lab/analyze {"id":"erased"}');

const LINES = `
  select distinct request from calls where request glob 'GET /videos/*' or request glob 'GET /creators/*'
    or request glob 'POST /lab/*'
  union select distinct request from run_items where request glob 'GET /videos/*'
    or request glob 'GET /creators/*' or request glob 'POST /lab/*'`;

/**
 * Collects the lines of requests about erased subjects, and their calls, whose responses are about those
 * alone. @returns the ids of the calls
 */
export const markLines = ({ sqlite }: Lake, erased: SubjectSet): number[] => {
  const mark = sqlite.prepare('insert or ignore into gone_line (request, erased) values (?, ?)');
  for (const line of prepare(sqlite, LINES, 'text').all()) {
    const subject = subjectOfLine(line);
    if (subject !== undefined && erased.has(subject)) mark.run(line, erasedLine(line));
  }
  sqlite.exec(
    'insert or ignore into gone_call select id from calls where request in (select request from gone_line)',
  );
  return prepare(sqlite, 'select id from gone_call', 'number').all();
};

/** Videos that go with the marked subjects. */
export const markedVideos = ({ sqlite }: Lake): PersonalSubject[] =>
  prepare(sqlite, 'select id from gone_video', 'text')
    .all()
    .map((id) => ({ kind: 'video', id }));

/** Titles of the marked videos, also earlier ones. */
export const markedTitles = ({ sqlite }: Lake): ErasedSubject[] =>
  prepare(
    sqlite,
    `select title from (select key as video_key, title from video
       union select video_key, title from video_revision)
     where video_key in (select key from gone_video) and title <> '' group by title`,
    'text',
  )
    .all()
    .map((title) => ({ kind: 'title', title }));

/** Every video and creator of a lake that its table `erased` names, as after a restore. */
export const erasedInLake = (lake: Lake): PersonalSubject[] => {
  const erased = erasedOf(lake);
  if (erased.isEmpty) return [];
  const { sqlite } = lake;
  const videos = prepare(sqlite, 'select id, platform, user from video', {
    id: 'text',
    platform: 'platform',
    user: 'text?',
  });
  const creators = prepare(sqlite, 'select platform, handle from creator', {
    platform: 'platform',
    handle: 'text',
  });
  return [
    ...videos
      .all()
      .flatMap((row) => (erased.hasVideo(row) ? [{ kind: 'video', id: row.id } as const] : [])),
    ...creators.all().flatMap((row) => {
      const subject = { kind: 'creator', ...row } as const;
      return erased.has(subject) ? [subject] : [];
    }),
  ];
};
