import type { Config } from '../../base/config/config.ts';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { readMeta, writeMeta } from '../../lake/meta.ts';
import type { Lake } from '../../lake/open.ts';
import type { ProbeFinding } from '../../upstream/probe/probe-state.ts';

const KEY = 'last_probe';

/** A probe as the lake keeps it. */
export interface StoredProbe {
  /** Unix ms. */
  readonly at: number;
  readonly baseUrl: string;
  readonly ok: boolean;
  readonly findings: readonly ProbeFinding[];
  /** Parts that cannot be read, with a question for the operator. */
  readonly problems: readonly (readonly [part: string, question: string])[];
  /** The setting `upstream` that it began with, and the one it found. */
  readonly asked: UpstreamSettings;
  readonly upstream: UpstreamSettings;
}

/** Keeps the result of a probe in place of the one before. */
export const storeProbe = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  {
    problems,
    ...probe
  }: Omit<StoredProbe, 'problems'> & { readonly problems: ReadonlyMap<string, string> },
): void => writeMeta(sqlite, KEY, JSON.stringify({ ...probe, problems: [...problems] }));

/** The last probe of a lake; undefined without one. */
export const readProbe = ({ sqlite }: Pick<Lake, 'sqlite'>): StoredProbe | undefined => {
  const stored = readMeta(sqlite, KEY);
  return stored === undefined ? undefined : (JSON.parse(stored) as StoredProbe);
};

const isSame = (left: unknown, other: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(other);

/**
 * Refuses to sync a service that the last probe could not read, until the setting `upstream` changes.
 * @throws UsageError
 */
export const refuseUnreadable = (
  lake: Pick<Lake, 'sqlite'>,
  { baseUrl, upstream }: Pick<Config, 'baseUrl' | 'upstream'>,
): void => {
  const probe = readProbe(lake);
  if (probe === undefined || probe.ok || probe.baseUrl !== baseUrl) return;
  if (!isSame(upstream, probe.asked) && !isSame(upstream, probe.upstream)) return;
  const [first] = probe.problems;
  const more = probe.problems.length > 1 ? ` (and ${probe.problems.length - 1} more)` : '';
  throw new UsageError(
    `The last probe of ${baseUrl} could not read ${first?.[0] ?? 'a list'}${more}, so nothing is loaded. ${first?.[1] ?? ''} Set upstream in the configuration, then run \`${commandText('probe')}\` again.`,
  );
};
