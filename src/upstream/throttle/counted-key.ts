/** Selects the calls of a lake that count for one of several keys. With one key, all of them count. */
export interface CountedKey {
  /** As it stands in `calls.key`. */
  readonly name: string;
  /** The first of the keys has the month's calls that were made while there was only one. */
  readonly isFirst: boolean;
  /** Names of the other keys. */
  readonly others: readonly string[];
}

/** Name of a key in `pause` and `quota_hint`. */
export const keyName = (key: CountedKey | undefined): string => key?.name ?? '';

/** A condition on `calls` that an index on key and time answers, to be put behind another. */
interface CallsCondition {
  readonly sql: string;
  readonly key: string | null;
}

/** The calls of a month that are a key's: the rows that meet any one of these. None meets two. */
export const callsOf = (key: CountedKey | undefined): readonly CallsCondition[] => {
  if (key === undefined) return [{ sql: '', key: null }];
  const sql = 'and key is @key';
  return [{ sql, key: key.name }, ...(key.isFirst ? [{ sql, key: null }] : [])];
};

/** The same in one condition, for reads of every row of a month. */
export const anyCallOf = (
  key: CountedKey | undefined,
): { readonly sql: string; readonly parameters: { key: string; isFirst: 0 | 1 } } => ({
  sql: key === undefined ? '' : 'and (key = @key or (@isFirst = 1 and key is null))',
  parameters: { key: keyName(key), isFirst: key?.isFirst === true ? 1 : 0 },
});
