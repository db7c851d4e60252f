import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { realFolder } from '../fixtures/real-data.ts';
import { phraseOf, wordsOf } from '../src/search/search-words.ts';

// Compares tokenizers of the search index on real titles: size, load time, and the share of random
// parts of titles that find the title they were taken from.
//
//   node bench/search-tokenizers.ts [PATH]

const folder = process.argv[2] ?? realFolder;
const titles = gunzipSync(readFileSync(join(folder, 'videos.ndjson.gz')))
  .toString('utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => (JSON.parse(line) as { title: string | null }).title)
  .filter((title) => title !== null);

let state = 42;
const random = (below: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

const PARTS: Record<string, { script: RegExp; letters: number }> = {
  'CJK, 2 letters': {
    script: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{4,}/u,
    letters: 2,
  },
  'CJK, 3 letters': {
    script: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{5,}/u,
    letters: 3,
  },
  'CJK, 5 letters': {
    script: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{7,}/u,
    letters: 5,
  },
  'Thai, 4 letters': { script: /[\p{sc=Thai}]{6,}/u, letters: 4 },
  'Cyrillic word': { script: /(?<!\p{L})\p{sc=Cyrillic}{4,}(?!\p{L})/u, letters: 0 },
  'Latin word, accents left out': {
    script: /(?<!\p{L})(?=\p{L}*[À-ÿ])\p{sc=Latin}{4,}(?!\p{L})/u,
    letters: 0,
  },
};
const bare = (text: string): string => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');

const samples = Object.entries(PARTS).map(([name, { script, letters }]) => {
  const found: { rowid: number; part: string }[] = [];
  for (let tries = 0; found.length < 300 && tries < 400_000; tries++) {
    const rowid = random(titles.length);
    const run = script.exec((titles[rowid] as string).normalize('NFC'))?.[0];
    if (run === undefined) continue;
    const chars = [...run];
    const start = letters === 0 ? 0 : random(chars.length - letters + 1);
    const part = letters === 0 ? run : chars.slice(start, start + letters).join('');
    found.push({ rowid: rowid + 1, part: name.startsWith('Latin') ? bare(part) : part });
  }
  return { name, found };
});

const quoted = (part: string): string => `"${part.replaceAll('"', '""')}"`;
const ours = (part: string): string => {
  const phrase = phraseOf(part, false);
  return phrase === undefined
    ? '""'
    : `${quoted(phrase.words.join(' '))}${phrase.prefix ? '*' : ''}`;
};
const kinds = {
  unicode61: { options: `tokenize='unicode61 remove_diacritics 2'`, text: String, ask: quoted },
  trigram: { options: `tokenize='trigram remove_diacritics 1'`, text: String, ask: quoted },
  'words and pairs': {
    options: `tokenize='ascii'`,
    text: (title: string) => wordsOf(title).join(' '),
    ask: ours,
  },
  'words and pairs, prefix 1': {
    options: `tokenize='ascii', prefix='1'`,
    text: (title: string) => wordsOf(title).join(' '),
    ask: ours,
  },
};

console.log(`${titles.length} titles, ${Math.round(titles.join('').length / 1e6)} M characters`);
for (const [name, { options, text, ask }] of Object.entries(kinds)) {
  const sqlite = new Database('');
  sqlite.exec(
    `create virtual table t using fts5(title, content='', contentless_delete=1, ${options})`,
  );
  const insert = sqlite.prepare('insert into t (rowid, title) values (?, ?)');
  const startedAt = performance.now();
  for (let from = 0; from < titles.length; from += 100)
    sqlite.transaction(() => {
      for (let i = from; i < Math.min(from + 100, titles.length); i++)
        insert.run(i + 1, text(titles[i] as string));
    })();
  const seconds = (performance.now() - startedAt) / 1000;
  const bytes = sqlite.prepare('select sum(pgsize) from dbstat').pluck().get() as number;
  const find = sqlite.prepare('select 1 from t where t match ? and rowid = ?').pluck();
  const shares = samples.map(({ name: of, found }) => {
    const hits = found.filter(({ part, rowid }) => find.get(ask(part), rowid) === 1).length;
    return `${of}: ${Math.round((100 * hits) / Math.max(1, found.length))} %`;
  });
  console.log(
    `${name}: ${(bytes / 1e6).toFixed(1)} MB, ${((seconds * 1e6) / titles.length).toFixed(0)} us a title; found ${shares.join(', ')}`,
  );
  sqlite.close();
}
