import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiding, hidingKeys } from '../../src/base/hidden-forms.ts';

const KEY = 'tl_live_Zm9v-YmFy_0123456789abcdefXYZ.~/+=%&';
const hide = hiding(KEY);

const each = (spell: (character: string, code: number) => string): string =>
  [...KEY].map((character) => spell(character, character.charCodeAt(0))).join('');
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const wide = Buffer.from(each((_, code) => String.fromCharCode(code + 0xfee0)));

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
  ['hexadecimal, with blanks', each((_, code) => `${hex(code, 2)} `).trim()],
  ['hexadecimal, with colons', each((_, code) => `:${hex(code, 2).toUpperCase()}`).slice(1)],
  ['hexadecimal, with 0x', each((_, code) => `, 0x${hex(code, 2)}`).slice(2)],
  ['hexadecimal, in quotes', each((_, code) => `', '${hex(code, 2)}`).slice(4)],
  ['hexadecimal, in lines', each((_, code) => `${hex(code, 2)}\n`).trim()],
  ['decimal', each((_, code) => `,${code}`).slice(1)],
  ['JavaScript', each((_, code) => `\\u{${hex(code, 2)}}`)],
  ['JavaScript, padded', each((_, code) => `\\u{${hex(code, 6).toUpperCase()}}`)],
  ['JavaScript in JSON', each((_, code) => `\\\\u{${hex(code, 2)}}`)],
  ['quoted-printable', each((_, code) => `=${hex(code, 2).toUpperCase()}`)],
  [
    'quoted-printable, as mail has it',
    `${KEY.slice(0, 20)}=\r\n${KEY.slice(20).replace('=', '=3D')}`,
  ],
  ['quoted-printable, in JSON', `${KEY.slice(0, 20)}=\\n${KEY.slice(20).replace('=', '=3D')}`],
  ['full-width', each((_, code) => String.fromCharCode(code + 0xfee0))],
  ['full-width, as bytes', wide.toString('latin1')],
  ['full-width, percent', encodeURIComponent(String(wide))],
  ['full-width, JSON', each((_, code) => `\\u${hex(code + 0xfee0, 4)}`)],
  ['full-width, HTML', each((_, code) => `&#${code + 0xfee0};`)],
  ['UTF-16', Buffer.from(KEY, 'utf16le').toString('latin1').slice(0, -1)],
];

describe('a secret is hidden', () => {
  test.each(SPELLINGS)('%s', (_, spelt) => {
    expect(hide(`{"a": "before ${spelt} after"}`)).toBe('{"a": "before [hidden] after"}');
  });

  test('with a different encoding for each character', () => {
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

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const toBase32 = (bytes: Buffer): string =>
  [...bytes]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .match(/.{5}/g)
    ?.map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)])
    .join('') ?? '';

describe.each(['', 'B', 'Be', 'Bea', 'Bear', 'Bearer ', '{"authorization": "Bearer '])(
  'where %j stands before it, a secret is hidden in',
  (before) => {
    const text = `${before}${KEY} and more`;
    /** All but the first and last three characters, which share their letters with what is beside them. */
    const inside = (form: (text: string) => string): string =>
      form(`${before}${KEY}`).slice(form(before).length + 8, -8);

    test.each<[string, (text: string) => string]>([
      ['base64 of UTF-16', (of) => utf16(of).toString('base64')],
      ['base64 of UTF-16, big endian', (of) => utf16(of).swap16().toString('base64')],
      ['base64url of UTF-16', (of) => utf16(of).toString('base64url')],
      ['base32', (of) => toBase32(Buffer.from(of))],
      ['base32, small', (of) => toBase32(Buffer.from(of)).toLowerCase()],
      ['base32 of UTF-16', (of) => toBase32(utf16(of))],
    ])('%s', (_, form) => {
      const shown = hide(`"${form(text)}"`);
      expect(form(text)).toContain(inside(form));
      expect(shown).toContain('[hidden]');
      for (let at = 0; at + 8 <= inside(form).length; at++)
        expect(shown).not.toContain(inside(form).slice(at, at + 8));
    });
  },
);

test('a secret that looks like an escape behind an equals sign is hidden', () => {
  const secret = 'ab12cd34ef56ab78';
  expect(hiding(secret)(`api_key=${secret}&x=${secret}`)).toBe('api_key=[hidden]&x=[hidden]');
});

test('a secret inside a longer spelling leaves nothing of it', () => {
  const hideDigits = hiding('7474747474747474');
  expect(hideDigits(`<${'74'.repeat(20)}>`)).not.toMatch(/74{8}/);
});

test('keeps other text and the words of a short secret', () => {
  const text = JSON.stringify({ title: 'tl_live_ is how keys begin', n: 12, x: '%7Btl_live' });
  expect(hide(text)).toBe(text);
  expect(hiding('test')('a test')).toBe('a test');
});

test('a text made to cost much costs little', () => {
  // each would outlast the test if every place in it began a search to its end
  for (const part of [
    '\\',
    '%25',
    '&#0',
    '&amp;',
    '\0',
    't\0\0\0',
    '\\u0025',
    'tl_live_',
    '74 ',
    '74',
    '0x',
    '00',
    '=74',
    '= ',
    '116,',
    '\uff54',
    '\\u{0',
    '\u00ef\u00bc',
  ])
    expect(hide(part.repeat(5e5 / part.length)).length).toBeGreaterThan(0);
});

test('any key is hidden in an address, however it is spelt there', () => {
  const withoutKeys = hidingKeys('tl_live_');
  expect(withoutKeys('/v1/feed?a=tl_live_abc-_9&b=%74l%5Flive_abc%2D9/x&c=tl%255Flive%255Fz')).toBe(
    '/v1/feed?a=tl_live_[hidden]&b=tl_live_[hidden]/x&c=tl_live_[hidden]',
  );
});
