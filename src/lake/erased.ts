import { createHmac, randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { foldHandle } from '../base/wire/folding.ts';
import { readMeta, writeMeta } from './meta.ts';
import type { Lake } from './open.ts';
import { prepare } from './prepare.ts';
import { prepared, statement } from './statements.ts';

/** A video or a creator to erase. */
export type PersonalSubject =
  | { readonly kind: 'video'; readonly id: string }
  | { readonly kind: 'creator'; readonly platform: Platform; readonly handle: string };

/** The same, or a title that identifies an item without an id. */
export type ErasedSubject = PersonalSubject | { readonly kind: 'title'; readonly title: string };

/** Facts that identify a video and its creator. */
interface NamedVideo {
  readonly id: string;
  readonly platform: Platform;
  readonly user: string | null;
}

const SALTS = 'erased_salts';
/** Fact of a lake in `meta` while an erasure is not finished. */
export const UNFINISHED_ERASURE = 'erasure_unfinished';
const SALT_BYTES = 16;

const nameOf = (subject: ErasedSubject): string => {
  if (subject.kind === 'video') return subject.id;
  if (subject.kind === 'title') return subject.title;
  return `${subject.platform}/${foldHandle(subject.handle)}`;
};

const hashOf = (subject: ErasedSubject, salt: string): string =>
  createHmac('sha256', salt)
    .update(`${subject.kind}:${nameOf(subject)}`)
    .digest('hex');

/** Subjects by which a text is searched. */
export interface SubjectSet {
  readonly isEmpty: boolean;
  has(subject: ErasedSubject): boolean;
}

/** Subjects that would be erased, for a dry run. */
export const subjectSet = (subjects: readonly ErasedSubject[]): SubjectSet => {
  const names = new Set(subjects.map((subject) => `${subject.kind}:${nameOf(subject)}`));
  return {
    isEmpty: names.size === 0,
    has: (subject) => names.has(`${subject.kind}:${nameOf(subject)}`),
  };
};

/** Subjects that were erased from one lake and must not come back. */
export class ErasedSubjects implements SubjectSet {
  readonly #lake: Lake;
  #salts: readonly string[] = [];
  #hashes: ReadonlySet<string> = new Set();

  constructor(lake: Lake) {
    this.#lake = lake;
    this.refresh();
  }

  /** Reads what other processes erased. Rows are only added, so their number shows a change. */
  refresh(): void {
    const count = prepared(this.#lake, 'select count(*) from erased', 'number').get();
    if (count === this.#hashes.size) return;
    this.#salts = readMeta(this.#lake.sqlite, SALTS)?.split(',') ?? [];
    this.#hashes = new Set(prepared(this.#lake, 'select hash from erased', 'text').all());
  }

  get isEmpty(): boolean {
    return this.#hashes.size === 0;
  }

  #find(subject: ErasedSubject): string | undefined {
    if (this.isEmpty) return undefined;
    return this.#salts.map((salt) => hashOf(subject, salt)).find((hash) => this.#hashes.has(hash));
  }

  has(subject: ErasedSubject): boolean {
    return this.#find(subject) !== undefined;
  }

  /** True if a video or its creator was erased. */
  hasVideo(video: NamedVideo): boolean {
    return this.#findVideo(video) !== undefined;
  }

  #findVideo({ id, platform, user }: NamedVideo): string | undefined {
    return (
      this.#find({ kind: 'video', id }) ??
      (user === null ? undefined : this.#find({ kind: 'creator', platform, handle: user }))
    );
  }

  #count(hash: string | undefined): boolean {
    if (hash === undefined) return false;
    statement(this.#lake, 'update erased set dropped = dropped + 1 where hash = ?').run(hash);
    return true;
  }

  /** As `has`, and counts the drop. */
  drops(subject: ErasedSubject): boolean {
    return this.#count(this.#find(subject));
  }

  /** As `hasVideo`, and counts the drop. Later mentions of a creator's video may lack the handle. */
  dropsVideo(video: NamedVideo): boolean {
    const found = this.#findVideo(video);
    const subject = { kind: 'video', id: video.id } as const;
    if (found !== undefined && !this.has(subject)) this.#addLike(found, subject);
    return this.#count(found);
  }

  #addLike(hash: string, subject: ErasedSubject): void {
    const sql = 'select erased_at from erased where hash = ?';
    const erasedAt = prepared(this.#lake, sql, 'number').get(hash);
    this.add([subject], erasedAt ?? 0);
  }

  /** Notes that subjects are erased. Call it in the transaction that removes their rows. */
  add(subjects: readonly ErasedSubject[], erasedAt: number): void {
    if (this.#salts.length === 0) {
      this.#salts = [randomBytes(SALT_BYTES).toString('hex')];
      writeMeta(this.#lake.sqlite, SALTS, this.#salts.join(','));
    }
    const salt = this.#salts[0] ?? '';
    const insert = statement(
      this.#lake,
      'insert into erased (kind, hash, erased_at) values (?, ?, ?) on conflict do nothing',
    );
    for (const subject of subjects)
      if (!this.has(subject)) insert.run(subject.kind, hashOf(subject, salt), erasedAt);
    this.refresh();
  }
}

/** True if a subject was erased, without the set of all hashes. */
export const wasErased = (sqlite: Database.Database, subject: ErasedSubject): boolean =>
  (readMeta(sqlite, SALTS)?.split(',') ?? []).some(
    (salt) =>
      prepare(sqlite, 'select 1 from erased where kind = ? and hash = ?', 'number').get(
        subject.kind,
        hashOf(subject, salt),
      ) !== undefined,
  );

/**
 * Takes hashes and salts over from an attached lake `old`, which a backup replaces. Does nothing if it
 * has none.
 */
export const carryErased = (sqlite: Database.Database): void => {
  const known = sqlite.prepare("select 1 from old.sqlite_schema where name = 'erased'").get();
  if (known === undefined) return;
  const oldSalts = prepare(sqlite, 'select value from old.meta where key = ?', 'text').get(SALTS);
  if (oldSalts === undefined) return;
  const salts = [...(readMeta(sqlite, SALTS)?.split(',') ?? []), ...oldSalts.split(',')];
  writeMeta(sqlite, SALTS, [...new Set(salts)].join(','));
  sqlite.exec(`insert or ignore into main.erased (kind, hash, erased_at, dropped)
    select kind, hash, erased_at, dropped from old.erased`);
  writeMeta(sqlite, UNFINISHED_ERASURE, 'restored');
};

/** The erased subjects of a lake, as they are now. */
export const erasedOf = (lake: Lake): ErasedSubjects => {
  const erased = lake.own(ErasedSubjects);
  erased.refresh();
  return erased;
};
