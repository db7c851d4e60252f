import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiding, hidingKeys } from '../src/hidden-forms.ts';

const KEY = 'tl_live_Zm9v-YmFy_0123456789abcdefXYZ.~/+=%&';
const hide = hiding(KEY);

const each = (spell: (character: string, code: number) => string): string =>
  [...KEY].map((character) => spell(character, character.charCodeAt(0))).join('');
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const SPELLINGS: readonly (readonly [string, string])[] = [
  ['as it is', KEY],
  ['JSON', JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/')],
  ['JSON, escaped whole', each((_, code) => `\\u${hex(code, 4)}`)],
  ['JSON, escaped whole, capitals', each((_, code) => `\\u${hex(code, 4).toUpperCase()}`)],
  ['JSON in JSON', each((_, code) => `\\\\u${hex(code, 4)}`)],
  ['percent, as an address has it', encodeURIComponent(KEY)],
  ['percent, whole', each((_, code) => `%${hex(code, 2)}`)],
  ['percent, twice', each((_, code) => `%25${hex(code, 2).toUpperCase()}`)],
  ['percent in JSON', each((_, code) => `\\u0025${hex(code, 2)}`)],
  ['HTML, decimal', each((_, code) => `&#${code};`)],
  ['HTML, padded and without its end', each((_, code) => `&#00${code}`)],
  ['HTML, hexadecimal', each((_, code) => `&#x${hex(code, 2)};`)],
  ['HTML, hexadecimal, escaped again', each((_, code) => `&amp;#x${hex(code, 4)};`)],
  ['HTML in JSON', each((_, code) => `\\u0026#${code};`)],
  [
    'HTML by name',
    KEY.replaceAll('&', '&amp;').replaceAll('_', '&lowbar;').replaceAll('/', '&sol;'),
  ],
  ['hexadecimal', Buffer.from(KEY).toString('hex')],
  ['UTF-16', Buffer.from(KEY, 'utf16le').toString('latin1').slice(0, -1)],
];

describe('a secret is hidden', () => {
  test.each(SPELLINGS)('%s', (_, spelt) => {
    expect(hide(`{"a": "before ${spelt} after"}`)).toBe('{"a": "before [hidden] after"}');
  });

  test('with each character spelt in a way of its own', () => {
    const ways = [
      (c: string) => c,
      (c: string) => `\\u${hex(c.charCodeAt(0), 4)}`,
      (c: string) => `%${hex(c.charCodeAt(0), 2).toUpperCase()}`,
      (c: string) => `&#${c.charCodeAt(0)};`,
    ];
    fc.assert(
      fc.property(
        fc.array(fc.nat(3), { minLength: KEY.length, maxLength: KEY.length }),
        (choices) => {
          const spelt = [...KEY].map((c, index) => ways[choices[index] ?? 0]?.(c)).join('');
          expect(hide(`<${spelt}>`)).toBe('<[hidden]>');
        },
      ),
    );
  });

  test.each(['', 'B', 'Be', 'Bea', 'Bearer ', 'authorization: Bearer '])(
    'in base64, where %j stands before it',
    (before) => {
      for (const form of ['base64', 'base64url'] as const) {
        const shown = hide(Buffer.from(`${before}${KEY} and more`).toString(form));
        const left = shown
          .replace('[hidden]', ' ')
          .split(' ')
          .map((part) => Buffer.from(part, form).toString('latin1'));
        expect(shown).toContain('[hidden]');
        for (let at = 0; at + 3 <= KEY.length; at++)
          for (const part of left) expect(part).not.toContain(KEY.slice(at, at + 3));
      }
    },
  );
});

test('what is no secret stays, and so do the words of a short one', () => {
  const text = JSON.stringify({ title: 'tl_live_ is how keys begin', n: 12, x: '%7Btl_live' });
  expect(hide(text)).toBe(text);
  expect(hiding('test')('a test')).toBe('a test');
});

test('a text made to cost much costs little', () => {
  // each would outlast the test if every place in it began a search to its end
  for (const part of ['\\', '%25', '&#0', '&amp;', '\0', 't\0\0\0', '\\u0025', 'tl_live_'])
    expect(hide(part.repeat(5e5 / part.length)).length).toBeGreaterThan(0);
});

test('any key is hidden in an address, however it is spelt there', () => {
  const withoutKeys = hidingKeys('tl_live_');
  expect(withoutKeys('/v1/feed?a=tl_live_abc-_9&b=%74l%5Flive_abc%2D9/x&c=tl%255Flive%255Fz')).toBe(
    '/v1/feed?a=tl_live_[hidden]&b=tl_live_[hidden]/x&c=tl_live_[hidden]',
  );
});
