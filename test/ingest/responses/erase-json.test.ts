import { expect, test } from 'vitest';
import {
  type ErasedWords,
  erasedText,
  eraseJson,
  eraseValue,
} from '../../../src/ingest/responses/erase-json.ts';
import { subjectSet } from '../../../src/lake/erased.ts';

const words: ErasedWords = {
  subjects: subjectSet([
    { kind: 'video', id: 'tt_1' },
    { kind: 'creator', platform: 'tiktok', handle: 'Ada' },
    { kind: 'title', title: 'her words' },
  ]),
};
const MARK = '{"erased":true}';

test.each([
  [
    'an item by its id',
    '{"items":[{"id":"tt_1","views":1},{"id":"tt_2"}]}',
    `{"items":[${MARK},{"id":"tt_2"}]}`,
  ],
  ['an item by its creator', '[{"id":"tt_9","user":"@ADA"}]', `[${MARK}]`],
  [
    'an author inside an item',
    '{"id":"tt_9","author":{"uniqueId":"ada","platform":"tiktok"}}',
    `{"id":"tt_9","author":${MARK}}`,
  ],
  ['an item without an id by its title', '[{"title":"her words"}]', `[${MARK}]`],
  ['an id that another item mentions', '{"id":"tt_2","duet":"tt_1"}', '{"id":"tt_2","duet":null}'],
])('%s is erased', (_, text, clean) => {
  expect(eraseJson(text, words).text).toBe(clean);
});

test.each([
  '{"id":"tt_2","user":"adam"}',
  '{"id":"ig_1","platform":"instagram","user":"ada"}',
  '{"id":"tt_2","title":"her words"}',
  '{ "views": 12345678901234567890, "rate": 1.10 }',
  'no JSON at all',
  '{"id":"tt_2","user":"ad',
])('%s stays byte for byte', (text) => {
  expect(erasedText(text, words)).toBe(text);
});

test('numbers beside an erased item keep their digits', () => {
  expect(eraseJson('[{"id":"tt_1"},{"views":12345678901234567890,"rate":1.10}]', words).text).toBe(
    `[${MARK},{"views":12345678901234567890,"rate":1.10}]`,
  );
});

test.each(['{"id":"tt_1","title":"cut of', '[{"id":"tt_7","user" : "ada","tit'])(
  'a cut text that names a subject goes whole: %s',
  (text) => {
    expect(erasedText(text, words)).toBe(MARK);
  },
);

test('ids in words of the upstream are recognised', () => {
  const theirs = { ...words, upstream: { idPrefixes: { tiktok: 'tk' } } };
  expect(eraseValue({ items: [{ id: 'tk_1' }, { id: 'tk_2' }] }, theirs)).toEqual({
    items: [{ erased: true }, { id: 'tk_2' }],
  });
});
