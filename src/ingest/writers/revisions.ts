import type { Statement } from 'better-sqlite3';
import { sourceCode } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { type Prepared, prepare, type RowOf, required } from '../../lake/prepare.ts';
import type { KnownVideo, StatingVideo } from './merge-video.ts';
import { type VideoWords, type WordsUntil, weaveWords } from './weave-words.ts';

/** Words stated before the last sighting of a video, and the known words since then. */
export interface EarlierWords {
  /** Unix ms. */
  readonly at: number;
  readonly title: string | null;
  readonly user: string | null;
  readonly video: KnownVideo;
  /** Rows of `video_revision` since then, oldest first. */
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

// Lists state words, timelines never do. Most counts of an import state none, and which do is unknown, so
// without a later list, words last until the last of its counts.
const NEXT_STATED = `
  select coalesce(min(case when source not in (${GROWTH}, ${IMPORT}) then observed_at end),
    max(case when source = ${IMPORT} then observed_at end))
  from video_snapshot where video_key = ? and observed_at > ?`;
const STATED_BEFORE = `
  select exists (select 1 from video_snapshot
    where video_key = ? and observed_at < ? and source <> ${GROWTH})`;

/** Writes former words of videos. */
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
    // most videos have none, and an empty `all` takes ten times as long as `get`
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

  /** Stores the current words of a video, with its linked hashtags, as its words until an instant. */
  keep({ key, title, user }: KnownVideo, at: number): void {
    this.#keep.run({ key, at, title, user });
  }

  /** Reads the known words since an earlier observation. */
  readEarlier(video: KnownVideo, { at, title, user }: StatingVideo): EarlierWords {
    const isRevised = this.#isRevised.get(video.key, at) === 1;
    const former = isRevised ? this.#former.all(video.key, at).map(wordsOf) : [];
    return { at, title, user, video, former };
  }

  /** True if the stated title differs from the known one of that instant, or is the first. */
  isRetitled(earlier: EarlierWords): boolean {
    const { title, video, former, at } = earlier;
    const then = former.find(({ untilAt }) => untilAt > at)?.words ?? video;
    if (title === null || title !== then.title) return title !== null;
    return !this.#isStatedAt(video, at) && this.#isFirst(earlier);
  }

  /**
   * Weaves earlier words and their hashtags into the known ones. Call before linking the hashtags.
   * @param carried keys of the linked hashtags
   * @returns the current title and handle
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

  /** True if words were stated at this instant. All sources except timelines state some. */
  #isStatedAt({ key, firstSeenAt }: KnownVideo, at: number): boolean {
    const source = this.#sourceAt.get(key, at);
    return source === undefined ? at === firstSeenAt : source !== GROWTH;
  }

  /** Next known instant at which words were stated (Unix ms). */
  #nextStatedAfter({ video, at, former }: EarlierWords): number {
    const { key, firstSeenAt } = video;
    const instants = former.map(({ untilAt }) => untilAt).filter((until) => until > at);
    if (firstSeenAt !== null && firstSeenAt > at && this.#isStatedAt(video, firstSeenAt))
      instants.push(firstSeenAt);
    const next = required(this.#nextStated.get(key, at));
    return Math.min(...instants, next ?? Number.POSITIVE_INFINITY);
  }
}
