/**
 * The lines of a JSON array as `JSON.stringify(items, null, 2)` has them, one item after the other: a
 * long array is never held.
 */
export function* jsonArrayLines(items: Iterable<unknown>): Generator<string> {
  let before: string | undefined;
  for (const item of items) {
    yield before === undefined ? '[' : `${before},`;
    before = `  ${JSON.stringify(item, null, 2).replaceAll('\n', '\n  ')}`;
  }
  yield before === undefined ? '[]' : `${before}\n]`;
}
