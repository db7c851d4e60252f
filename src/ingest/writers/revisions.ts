import type { Statement } from 'better-sqlite3';
import { sourceCode } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { type Prepared, prepare, type RowOf, required } from '../../lake/prepare.ts';
import type { KnownVideo, StatingVideo } from './merge-video.ts';
import { type VideoWords, type WordsUntil, weaveWords } from './weave-words.ts';

/** Words stated before a video was seen last, and those the lake knows from then on. */
export interface EarlierWords {
  /** Unix ms. */
  readonly at: number;
  readonly title: string | null;
  readonly user: string | null;
  readonly video: KnownVideo;
  /** The words in `video_revision` from then on, in time order. */
  readonly former: readonly WordsUntil[];
}

const READ_REVISION = {
  untilAt: 'number',
  title: 'text?',
  user: 'text?',
  tags: 'text?',
} as const;
type ReadRevision = RowOf<typeof READ_REVISION>;

const keysOf = (tags: string | null): number[] =>
  tags === null || tags === '' ? [] : tags.split(',').map(Number);

const wordsOf = ({ untilAt, title, user, tags }: ReadRevision): WordsUntil => ({
  untilAt,
  words: { title, user, tagKeys: keysOf(tags) },
});

const GROWTH = sourceCode('growth');
const IMPORT = sourceCode('import');

// The first list after an instant: lists state words, timelines never do. Lines of an import's counts
// mostly state none, and which did is not known: without a list, words are held to last until its last.
const NEXT_STATED = `
  select coalesce(min(case when source not in (${GROWTH}, ${IMPORT}) then observed_at end),
    max(case when source = ${IMPORT} then observed_at end))
  from video_snapshot where video_key = ? and observed_at > ?`;
const STATED_BEFORE = `
  select exists (select 1 from video_snapshot
    where video_key = ? and observed_at < ? and source <> ${GROWTH})`;

/** Writes the words that videos no longer have into one lake. */
export class RevisionWriter {
  readonly #keep: Statement;
  readonly #drop: Statement;
  readonly #insert: Statement;
  readonly #isRevised: Prepared<number>;
  readonly #former: Prepared<ReadRevision>;
  readonly #tags: Prepared<string | null>;
  readonly #sourceAt: Prepared<number>;
  readonly #statedBefore: Prepared<number>;
  readonly #nextStated: Prepared<number | null>;

  constructor({ sqlite }: Lake) {
    const tags = `(select group_concat(hashtag_key, ',' order by position, hashtag_key)
      from video_hashtag where video_key = @key)`;
    this.#keep = sqlite.prepare(`
      insert into video_revision (video_key, until_at, title, user, tags)
      values (@key, @at, @title, @user, coalesce(${tags}, '')) on conflict do nothing`);
    this.#drop = sqlite.prepare('delete from video_revision where video_key = ? and until_at >= ?');
    this.#insert = sqlite.prepare(
      'insert into video_revision (video_key, until_at, title, user, tags) values (?, ?, ?, ?, ?)',
    );
    // most are not: reading no rows as rows takes ten times as long as finding none
    this.#isRevised = prepare(
      sqlite,
      'select 1 from video_revision where video_key = ? and until_at >= ?',
      'number',
    );
    this.#former = prepare(
      sqlite,
      `select until_at as untilAt, title, user, tags from video_revision
       where video_key = ? and until_at >= ? order by until_at`,
      READ_REVISION,
    );
    this.#tags = prepare(sqlite, `select ${tags}`, 'text?');
    this.#sourceAt = prepare(
      sqlite,
      'select source from video_snapshot where video_key = ? and observed_at = ?',
      'number',
    );
    this.#statedBefore = prepare(sqlite, STATED_BEFORE, 'number');
    this.#nextStated = prepare(sqlite, NEXT_STATED, 'number?');
  }

  /** Keeps the words a video has as those it had until an instant; its hashtags are in their table. */
  keep({ key, title, user }: KnownVideo, at: number): void {
    this.#keep.run({ key, at, title, user });
  }

  /** Reads what words stated before a video was seen last are woven into. */
  readEarlier(video: KnownVideo, { at, title, user }: StatingVideo): EarlierWords {
    const isRevised = this.#isRevised.get(video.key, at) === 1;
    const former = isRevised ? this.#former.all(video.key, at).map(wordsOf) : [];
    return { at, title, user, video, former };
  }

  /** True if a stated title differs from the one of that instant, or is the first. */
  isRetitled(earlier: EarlierWords): boolean {
    const { title, video, former, at } = earlier;
    const then = former.find(({ untilAt }) => untilAt > at)?.words ?? video;
    if (title === null || title !== then.title) return title !== null;
    return !this.#isStatedAt(video, at) && this.#isFirst(earlier);
  }

  /**
   * Weaves earlier words in, with the hashtags stated beside them. Call before these are linked, and
   * when all that were noted before are in their table.
   * @param carried keys of all hashtags the video has
   * @returns the title and handle the video has now
   */
  weave(
    earlier: EarlierWords,
    tagKeys: readonly number[],
    carried: ReadonlySet<number>,
  ): Pick<VideoWords, 'title' | 'user'> {
    const { video, at, title, user, former } = earlier;
    const isNothingNew =
      former.length === 0 &&
      title === video.title &&
      user === video.user &&
      tagKeys.length === carried.size &&
      tagKeys.every((key) => carried.has(key));
    if (isNothingNew) return video;
    const inOrder = keysOf(required(this.#tags.get({ key: video.key })));
    const now = { title: video.title, user: video.user, tagKeys: inOrder };
    const known = [...former, { untilAt: Number.POSITIVE_INFINITY, words: now }];
    const woven = weaveWords(known, {
      at,
      words: { title, user, tagKeys },
      untilAt: this.#nextStatedAfter(earlier),
      isFirst: this.#isFirst(earlier),
      isKnown: this.#isStatedAt(video, at),
    });
    if (woven !== known) {
      this.#drop.run(video.key, at);
      for (const { untilAt, words } of woven.slice(0, -1))
        this.#insert.run(video.key, untilAt, words.title, words.user, words.tagKeys.join(','));
    }
    return required(woven.at(-1)).words;
  }

  /** True if no earlier words of a video are known. */
  #isFirst({ video, at }: EarlierWords): boolean {
    const { key, firstSeenAt } = video;
    if (firstSeenAt === null || firstSeenAt >= at) return true;
    return !(this.#isStatedAt(video, firstSeenAt) || this.#statedBefore.get(key, at) === 1);
  }

  /**
   * True if words were stated at an instant of a sighting: all sources except timelines state some.
   */
  #isStatedAt({ key, firstSeenAt }: KnownVideo, at: number): boolean {
    const source = this.#sourceAt.get(key, at);
    return source === undefined ? at === firstSeenAt : source !== GROWTH;
  }

  /** When words were stated next after earlier ones, as far as that is known (Unix ms). */
  #nextStatedAfter({ video, at, former }: EarlierWords): number {
    const { key, firstSeenAt } = video;
    const instants = former.map(({ untilAt }) => untilAt).filter((until) => until > at);
    if (firstSeenAt !== null && firstSeenAt > at && this.#isStatedAt(video, firstSeenAt))
      instants.push(firstSeenAt);
    const next = required(this.#nextStated.get(key, at));
    return Math.min(...instants, next ?? Number.POSITIVE_INFINITY);
  }
}
