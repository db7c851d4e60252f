import { gunzipSync } from 'node:zlib';
import type Database from 'better-sqlite3';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { HOLDERS } from '../../base/wire/field-table.ts';
import { parseJson, shortly } from '../../base/wire/fields.ts';
import { findArray } from '../../base/wire/find-array.ts';
import { prepare } from '../prepare.ts';

/** Drift with the shape before it. */
export interface SeenDrift {
  readonly resource: string;
  readonly field: string;
  /** Unix ms. */
  readonly firstSeenAt: number;
  /** JSON of the first value. */
  readonly sample: string;
  /** JSON of the same thing in the last response before; null without one. */
  readonly former: string | null;
  /** Field of the setting `upstream` that can fix it; null if none can. */
  readonly setting: string | null;
}

const LONGEST_FORMER = 1024;

/** Settings by resource, and by the field as drift names it. */
const SETTINGS: readonly (readonly [resource: RegExp, field: RegExp, setting: string])[] = [
  [/^list$/, /^items|unknown shape/, 'lists.items'],
  [/^list$/, /^total/, 'lists.total'],
  [/^list$/, /^page/, 'paging'],
  [/^growth$/, /unknown shape/, 'growth.items'],
  [/^content item$/, /^engagementRate \((a fraction|percent)/, 'engagementRate'],
  [/^content item$/, /^platform \(/, 'platforms'],
  [/^(growth|analysis)$/, /^id/, 'idPrefixes'],
];

/** The field of `upstream` that can fix a drift, or null. */
const settingFor = (resource: string, field: string): string | null =>
  SETTINGS.find(([ofResource, ofField]) => ofResource.test(resource) && ofField.test(field))?.[2] ??
  null;

const BEFORE = `
  select r.body from calls d join calls c on c.job = d.job and c.id < d.id and c.error is null
    join responses r on r.call_id = c.id
  where d.id = ? order by c.id desc limit 1`;

const jsonIn = (body: Buffer): unknown => {
  try {
    return parseJson(gunzipSync(body).toString('utf8'));
  } catch {
    return undefined; // damaged, or not JSON: there is nothing to show
  }
};

/** The part of a response that a resource names. */
const partOf = (value: unknown, resource: string): unknown => {
  if (resource === 'content item' || resource === 'hashtag')
    return findArray(value, HOLDERS.list)?.list[0];
  if (resource === 'growth point') return findArray(value, HOLDERS.timeline)?.list[0];
  return value;
};

const formerOf = (value: unknown, { resource, field }: Pick<SeenDrift, 'resource' | 'field'>) => {
  const part = partOf(value, resource);
  if (part === undefined) return null;
  const name = field.replace(/ \(.*$/, '');
  const named: JsonObject = isObject(part) ? part : {};
  return shortly(Object.hasOwn(named, name) ? named[name] : part, LONGEST_FORMER);
};

/** The newest drift, with the shape before it. */
export const readDrift = (sqlite: Database.Database, limit: number): SeenDrift[] => {
  const rows = prepare(
    sqlite,
    `select resource, field, first_seen_at as firstSeenAt, sample, call_id as callId
     from drift order by first_seen_at desc, resource, field limit ?`,
    { resource: 'text', field: 'text', firstSeenAt: 'number', sample: 'text', callId: 'number?' },
  ).all(limit);
  const before = prepare(sqlite, BEFORE, 'blob');
  const values = new Map<number, unknown>();
  return rows.map(({ callId, ...drift }) => {
    if (callId !== null && !values.has(callId)) {
      const body = before.get(callId);
      values.set(callId, body === undefined ? undefined : jsonIn(body));
    }
    const value = callId === null ? undefined : values.get(callId);
    return {
      ...drift,
      former: formerOf(value, drift),
      setting: settingFor(drift.resource, drift.field),
    };
  });
};
