import { UsageError } from '../../base/errors.ts';
import { openServiceDb } from '../keys/service-db.ts';
import { prepare } from '../prepare.ts';

/** A statement with a name. Its address is `/query/<slug>`. */
export interface SavedQuery {
  readonly slug: string;
  readonly name: string;
  readonly sql: string;
  /** As `asOf` and the chart's parameters in an address, URL-encoded. */
  readonly parameters: string;
}

const MOST = 200;
const LONGEST_NAME = 80;
const SHAPE = { slug: 'text', name: 'text', sql: 'text', parameters: 'text' } as const;

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** Queries saved in the service database of a data directory. */
export class SavedQueries {
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  #use<T>(work: (db: ReturnType<typeof openServiceDb>) => T): T {
    const db = openServiceDb(this.#dataDir);
    try {
      return work(db);
    } finally {
      db.close();
    }
  }

  list(): SavedQuery[] {
    return this.#use((db) =>
      prepare(
        db,
        'select slug, name, sql, parameters from saved_query order by name, slug',
        SHAPE,
      ).all(),
    );
  }

  find(slug: string): SavedQuery | undefined {
    return this.list().find((query) => query.slug === slug);
  }

  /** Replaces the query of the same address. @throws UsageError for an unusable name, or too many */
  save({ name, sql, parameters }: Omit<SavedQuery, 'slug'>, now: number): SavedQuery {
    const slug = slugOf(name);
    if (slug === '' || name.length > LONGEST_NAME)
      throw new UsageError(
        `The name "${name.slice(0, LONGEST_NAME)}" cannot be an address. Use 1 to ${LONGEST_NAME} characters including letters or digits.`,
      );
    return this.#use((db) => {
      const others = prepare(db, 'select count(*) from saved_query where slug <> ?', 'number').get(
        slug,
      );
      if ((others ?? 0) >= MOST)
        throw new UsageError(`${MOST} queries are saved, which is the most. Delete one first.`);
      db.prepare(
        `insert into saved_query (slug, name, sql, parameters, saved_at) values (?, ?, ?, ?, ?)
         on conflict (slug) do update set name = excluded.name, sql = excluded.sql,
           parameters = excluded.parameters, saved_at = excluded.saved_at`,
      ).run(slug, name, sql, parameters, now);
      return { slug, name, sql, parameters };
    });
  }

  delete(slug: string): void {
    this.#use((db) => void db.prepare('delete from saved_query where slug = ?').run(slug));
  }
}
