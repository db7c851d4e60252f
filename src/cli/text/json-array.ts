/**
 * Lines of `JSON.stringify(items, null, 2)`, item by item, so that a long array never fills the
 * memory.
 */
export function* jsonArrayLines(items: Iterable<unknown>): Generator<string> {
  let before: string | undefined;
  for (const item of items) {
    yield before === undefined ? '[' : `${before},`;
    before = `  ${JSON.stringify(item, null, 2).replaceAll('\n', '\n  ')}`;
  }
  yield before === undefined ? '[]' : `${before}\n]`;
}
