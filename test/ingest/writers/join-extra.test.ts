import { expect, test } from 'vitest';
import { formerFields } from '../../../src/ingest/writers/join-extra.ts';

test('a field that was not there was nothing, whatever its name', () => {
  const after = '{"a":1,"constructor":2,"toString":3,"__proto__":{}}';
  expect(formerFields('{"a":1}', after)).toBe('{"constructor":[],"toString":[],"__proto__":[]}');
  expect(formerFields(after, '{"a":2,"__proto__":{}}')).toBe(
    '{"a":[1],"constructor":[2],"toString":[3]}',
  );
});
