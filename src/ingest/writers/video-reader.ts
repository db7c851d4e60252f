import type { Lake } from '../../lake/open.ts';
import { type Prepared, prepare } from '../../lake/prepare.ts';
import type { KnownVideo } from './merge-video.ts';

/** A row as it is read: what is known of a video. */
export interface ReadVideo extends KnownVideo {
  id: string;
}

/** The same with the keys of its hashtags, divided by commas. */
export interface ReadTagged extends ReadVideo {
  tagKeys: string | null;
}

/** Videos read by one statement: as many as the longest page of a list has. */
const READ_TOGETHER = 100;

const readingOf = (ids: number, more = ''): string => `
  select key, id, title, user, views, likes, engagement_rate as engagementRate,
    created_at as createdAt, first_seen_at as firstSeenAt, extra,
    (select max(observed_at) from video_snapshot where video_key = video.key) as countedAt,
    (select max(until_at) from video_revision where video_key = video.key) as statedAt ${more}
  from video where id in (${Array(ids).fill('?').join(', ')})`;

const READ = {
  key: 'number',
  id: 'text',
  title: 'text?',
  user: 'text?',
  views: 'number?',
  likes: 'number?',
  engagementRate: 'number?',
  createdAt: 'number?',
  firstSeenAt: 'number?',
  extra: 'text?',
  countedAt: 'number?',
  statedAt: 'number?',
} as const;

const WITH_TAGS = `,
    (select group_concat(hashtag_key) from video_hashtag where video_key = video.key) as tagKeys`;

/** Reads what one lake knows of videos that are about to be written. */
export class VideoReader {
  readonly #one: Prepared<ReadVideo>;
  readonly #together: Prepared<ReadVideo>;
  readonly #tagged: Prepared<ReadTagged>;

  constructor({ sqlite }: Lake) {
    this.#one = prepare(sqlite, readingOf(1), READ);
    this.#together = prepare(sqlite, readingOf(READ_TOGETHER), READ);
    this.#tagged = prepare(sqlite, readingOf(READ_TOGETHER, WITH_TAGS), {
      ...READ,
      tagKeys: 'text?',
    });
  }

  /** One video; undefined where the lake does not hold it. */
  one(id: string): ReadVideo | undefined {
    return this.#one.get(id);
  }

  /** Many by their ids, each named once, with their hashtags or `nothing` more; undefined as in `one`. */
  many(
    ids: readonly string[],
    more: 'tags' | 'nothing',
  ): Map<string, ReadVideo | ReadTagged | undefined> {
    const found = new Map<string, ReadVideo | ReadTagged | undefined>();
    const reading = more === 'tags' ? this.#tagged : this.#together;
    for (let from = 0; from < ids.length; from += READ_TOGETHER) {
      const some = ids.slice(from, from + READ_TOGETHER);
      const wantedIds = [...some, ...Array(READ_TOGETHER - some.length).fill(null)];
      for (const id of some) found.set(id, undefined);
      for (const video of reading.all(wantedIds)) found.set(video.id, video);
    }
    return found;
  }
}
