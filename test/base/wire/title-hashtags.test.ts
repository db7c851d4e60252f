import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanTag } from '../../../src/base/wire/fields.ts';
import { foldName } from '../../../src/base/wire/folding.ts';
import { titleHashtags } from '../../../src/base/wire/title-hashtags.ts';

test.each([
  ['Dance #fyp #foryou', ['fyp', 'foryou']],
  ['#one#two#three', ['one', 'two', 'three']],
  ['Twice #FYP and #fyp', ['FYP']],
  ['رقص #رقص_شعبي اليوم', ['رقص_شعبي']],
  ['नाच #हिन्दी #नृत्य', ['हिन्दी', 'नृत्य']],
  ['춤 #댄스챌린지!', ['댄스챌린지']],
  ['踊ってみた #踊ってみた、#ダンス・動画', ['踊ってみた', 'ダンス・動画']],
  ['เต้น #เต้นตาม #ตลก', ['เต้นตาม', 'ตลก']],
  ['全角＃タグ', ['タグ']],
  ['Tom &#39;quoted&#39; &#x27;', []],
  ['https://example.com/page#section and /#top', []],
  ['No. #1 of #2026', []],
  ['#2026goals counts', ['2026goals']],
  ['#caf\u0065\u0301 #café', ['caf\u0065\u0301']],
  ['# alone, #, ##double', ['double']],
  ['', []],
])('%j has %j', (title, tags) => expect(titleHashtags(title)).toEqual(tags));

test('property: every tag found stands in the title behind a #, once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (a, b) => {
      const title = `${a}#${b} #${a}`;
      const tags = titleHashtags(title);
      const folded = tags.map(foldName);
      return (
        new Set(folded).size === tags.length &&
        tags.every((tag) => title.includes(`#${tag}`) || title.includes(`＃${tag}`))
      );
    }),
  );
});

test('a stored tag has no # and no blanks around it', () => {
  expect(['#a', ' ##b ', '＃c', '#', 'd e', '# #', '# ＃ f'].map(cleanTag)).toEqual([
    'a',
    'b',
    'c',
    '',
    'd e',
    '',
    'f',
  ]);
});
