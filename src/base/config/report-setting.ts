import { isObject } from '../json-object.ts';
import type { Secret } from '../secret.ts';
import { expected, type TextReader } from '../text-values.ts';
import { notifyTarget } from './notify-targets.ts';

/** Reports that are sent on a schedule. */
export interface ReportSetting {
  /** Cron expression; undefined: the job's own. */
  readonly schedule: string | undefined;
  readonly to: readonly Secret[];
  /** One report for each tag of watches; empty: one of everything. */
  readonly tags: readonly string[];
}

const EXPECTED =
  'JSON such as {"schedule": "0 7 * * 1", "to": ["smtps://user:password@host:465/?from=a@example.com&to=b@example.com"], "tags": ["acme"]}; only "to" is required';

const textsIn = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((text) => typeof text === 'string' && text.trim() !== '')
    ? (value as string[])
    : undefined;

export const reportSetting: TextReader<ReportSetting> = (text) => {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return expected(EXPECTED);
  }
  if (!isObject(given)) return expected(EXPECTED);
  const { schedule, to, tags = [], ...unknown } = given;
  const targets = textsIn(to)?.map((address) => notifyTarget(address));
  const names = textsIn(tags);
  const isRight =
    Object.keys(unknown).length === 0 &&
    (schedule === undefined || typeof schedule === 'string') &&
    targets !== undefined &&
    targets.length > 0 &&
    names !== undefined;
  if (!isRight) return expected(EXPECTED);
  const secrets = targets.flatMap((target) => ('value' in target ? [target.value] : []));
  return secrets.length === targets.length
    ? { value: { schedule, to: secrets, tags: names } }
    : expected(EXPECTED);
};
