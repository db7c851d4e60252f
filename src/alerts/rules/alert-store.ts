import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';

type SqliteOf = Pick<Lake, 'sqlite'>;

/** An alert to save. */
export interface NewAlert {
  readonly name: string;
  readonly sql: string;
  /** Empty: `TRENDLAKE_NOTIFY`. */
  readonly targets: readonly string[];
  readonly cooldownMs: number;
}

/** A saved alert. Instants are Unix ms. */
export interface Alert extends NewAlert {
  readonly createdAt: number;
  /** Newest evaluation that succeeded. */
  readonly evaluatedAt: number | null;
  /** Why the newest evaluation failed; null: it succeeded. */
  readonly failure: string | null;
}

/** A row of an alert, by column. */
export type AlertRow = Readonly<Record<string, unknown>>;

/** A row that fired. */
export interface AlertHit {
  readonly name: string;
  readonly subject: string;
  readonly at: number; // Unix ms
  readonly row: AlertRow;
}

/** Alerts by name. */
export const listAlerts = ({ sqlite }: SqliteOf): Alert[] =>
  prepare(
    sqlite,
    `select name, sql, targets, cooldown_ms as cooldownMs, created_at as createdAt,
       evaluated_at as evaluatedAt, failure from alerts where enabled order by name`,
    {
      name: 'text',
      sql: 'text',
      targets: 'text',
      cooldownMs: 'number',
      createdAt: 'number',
      evaluatedAt: 'number?',
      failure: 'text?',
    },
  )
    .all()
    .map((row) => ({ ...row, targets: JSON.parse(row.targets) as string[] }));

/** @throws UsageError if no alert has this name */
export const requireAlert = (lake: SqliteOf, name: string): Alert => {
  const alert = listAlerts(lake).find((alert) => alert.name === name);
  if (alert !== undefined) return alert;
  throw new UsageError(
    `No alert is called "${name}". \`${commandText('alerts list')}\` shows all alerts.`,
  );
};

/** Saves an alert. One of the same name is replaced; rows that fired stay. */
export const saveAlert = ({ sqlite }: SqliteOf, alert: NewAlert, now: number): void => {
  sqlite
    .prepare(
      `insert into alerts (name, sql, targets, cooldown_ms, enabled, created_at)
       values (@name, @sql, @targets, @cooldownMs, 1, @now)
       on conflict (name) do update set sql = excluded.sql, targets = excluded.targets,
         cooldown_ms = excluded.cooldown_ms, enabled = 1, failure = null`,
    )
    .run({ ...alert, targets: JSON.stringify(alert.targets), now });
};

/** Removes an alert and its rows. */
export const removeAlert = (lake: SqliteOf, name: string): void => {
  requireAlert(lake, name);
  lake.sqlite
    .transaction(() => {
      lake.sqlite.prepare('delete from alert_hits where name = ?').run(name);
      lake.sqlite.prepare('delete from alerts where name = ?').run(name);
    })
    .immediate();
};

/** Newest evaluation that had each subject of an alert, Unix ms. */
export const lastSeen = ({ sqlite }: SqliteOf, name: string): Map<string, number> =>
  new Map(
    prepare(
      sqlite,
      'select subject, max(seen_at) from alert_hits where name = ? group by subject',
      ['text', 'number'],
    ).all(name),
  );

/** Saves an evaluation: rows that fired, and the subjects that were there. */
export const saveEvaluation = (
  { sqlite }: SqliteOf,
  name: string,
  found: {
    readonly fired: readonly AlertHit[];
    readonly subjects: readonly string[];
    /** Targets that get the rows that fired. */
    readonly targets: readonly string[];
  },
  now: number,
): void => {
  const waiting = found.targets.length === 0 ? null : JSON.stringify(found.targets);
  const seen = sqlite.prepare(
    `update alert_hits set seen_at = @now where name = @name and subject = @subject
       and at = (select max(at) from alert_hits where name = @name and subject = @subject)`,
  );
  const fire = sqlite.prepare(
    `insert into alert_hits (name, subject, at, row, seen_at, waiting)
     values (@name, @subject, @at, @row, @at, @waiting) on conflict do nothing`,
  );
  sqlite
    .transaction(() => {
      for (const subject of found.subjects) seen.run({ name, subject, now });
      for (const hit of found.fired) fire.run({ ...hit, row: JSON.stringify(hit.row), waiting });
      sqlite
        .prepare('update alerts set evaluated_at = ?, failure = null where name = ?')
        .run(now, name);
    })
    .immediate();
};

/** Saves why an evaluation failed. */
export const saveFailure = ({ sqlite }: SqliteOf, name: string, failure: string): void => {
  sqlite.prepare('update alerts set failure = ? where name = ?').run(failure, name);
};

/** Rows that at least one target did not get yet, oldest first. */
export const waitingHits = ({
  sqlite,
}: SqliteOf): (AlertHit & { readonly waiting: readonly string[] })[] =>
  prepare(
    sqlite,
    `select name, subject, at, row, waiting from alert_hits where waiting is not null
       order by at, name, subject`,
    { name: 'text', subject: 'text', at: 'number', row: 'text', waiting: 'text' },
  )
    .all()
    .map((hit) => ({
      ...hit,
      row: JSON.parse(hit.row) as AlertRow,
      waiting: JSON.parse(hit.waiting) as string[],
    }));

/** Saves that a target got rows, or that it never will. */
export const markSent = ({ sqlite }: SqliteOf, hits: readonly AlertHit[], target: string): void => {
  const sent = sqlite.prepare(
    `update alert_hits set waiting = (
       select nullif(json_group_array(value), '[]') from json_each(waiting) where value <> @target)
     where name = @name and subject = @subject and at = @at`,
  );
  sqlite
    .transaction(() => {
      for (const { name, subject, at } of hits) sent.run({ name, subject, at, target });
    })
    .immediate();
};

/** Chooses rows that fired until an instant (Unix ms). Pages start at 1. */
interface HitsQuery {
  readonly name: string | null;
  readonly limit: number;
  readonly page?: number;
  readonly asOf?: number;
}

const HITS = 'from alert_hits where (@name is null or name = @name) and at <= @asOf';

/** Number of rows that fired, on all pages. */
export const countHits = (
  { sqlite }: SqliteOf,
  { name, asOf }: Required<Pick<HitsQuery, 'name' | 'asOf'>>,
): number => required(prepare(sqlite, `select count(*) ${HITS}`, 'number').get({ name, asOf }));

/** Rows that fired, newest first. */
export const newestHits = (
  { sqlite }: SqliteOf,
  { name, limit, page = 1, asOf = Number.MAX_SAFE_INTEGER }: HitsQuery,
): AlertHit[] =>
  prepare(
    sqlite,
    `select name, subject, at, row ${HITS}
       order by at desc, name, subject limit @limit offset @offset`,
    { name: 'text', subject: 'text', at: 'number', row: 'text' },
  )
    .all({ name, asOf, limit, offset: (page - 1) * limit })
    .map((hit) => ({ ...hit, row: JSON.parse(hit.row) as AlertRow }));

/** Removes rows that fired after an instant (Unix ms), such as by a wrong clock. @returns how many */
export const removeHitsAfter = ({ sqlite }: SqliteOf, after: number): number => {
  sqlite.prepare('update alerts set evaluated_at = null where evaluated_at > ?').run(after);
  sqlite.prepare('update alert_hits set seen_at = at where seen_at > ?').run(after);
  return sqlite.prepare('delete from alert_hits where at > ?').run(after).changes;
};
