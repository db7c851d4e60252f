import type { Platform } from '../../../schema/vocabulary.ts';
import { foldWords } from '../../base/wire/folding.ts';
import { READ_CHARACTERS } from '../../base/wire/item-bounds.ts';

// Text as words of the search index, the same for stored and searched text.

/** Scripts written without blanks, or (Korean) whose words carry endings: any part must be found. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々';

/** One character of an unspaced script, with its marks. */
const UNSPACED_LETTER = `[${UNSPACED}](?:(?![${UNSPACED}])\\p{M})*`;
/** One run of an unspaced script, or one word of any other, or one emoji. No word begins with a mark. */
const RUN = new RegExp(
  `((?:${UNSPACED_LETTER})+)|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])*|\\p{Extended_Pictographic}|\\p{Regional_Indicator}{2}`,
  'gu',
);
const LETTER = new RegExp(UNSPACED_LETTER, 'gu');
const NOT_ASCII = /[^\0-\x7f]/;
const ASCII_WORD = /[a-z0-9]+/g;

/**
 * A word that no text has, between texts of one column that do not belong together: no phrase
 * crosses it.
 */
export const BORDER = '\u241f';

/**
 * The words of a text in order. A run of Chinese, Japanese, Korean or Thai letters becomes its pairs
 * of neighbours and its last letter (`ABC`: `AB BC C`), so that any part of it is a phrase of the
 * index and any letter the beginning of a word. Of a long text, the words at its beginning.
 */
export const wordsOf = (whole: string): string[] => {
  const text = whole.slice(0, READ_CHARACTERS);
  if (!NOT_ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const words: string[] = [];
  const folded = foldWords(text);
  RUN.lastIndex = 0;
  // `matchAll` would make a copy of the expression for each text, which takes as long as matching
  for (let match = RUN.exec(folded); match !== null; match = RUN.exec(folded)) {
    const [run, unspaced] = match;
    if (unspaced === undefined) words.push(run);
    else {
      const letters = run.match(LETTER) ?? [];
      letters.forEach((letter, i) => {
        words.push(letter + (letters[i + 1] ?? ''));
      });
    }
  }
  return words;
};

const ONE_LETTER = new RegExp(`^${UNSPACED_LETTER}$`, 'u');

/** Words that must follow each other; `prefix`: the last may be the beginning of a word. */
export interface Phrase {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

/**
 * Phrase of a part of a search; undefined without a word. The last letter of an unspaced script
 * need not end a word there: it belongs to the pair before it, or is searched as a beginning.
 */
const phraseOf = (text: string, prefix: boolean): Phrase | undefined => {
  const words = wordsOf(text);
  const last = words.at(-1);
  if (last === undefined) return undefined;
  if (!ONE_LETTER.test(last)) return { words, prefix };
  const before = words.at(-2);
  const pairGoesBefore =
    before !== undefined && before.length > last.length && before.endsWith(last);
  return pairGoesBefore ? { words: words.slice(0, -1), prefix: false } : { words, prefix: true };
};

/** Phrases of a search: every `wanted` and no `unwanted` one. */
export interface SearchTerms {
  readonly wanted: readonly Phrase[];
  readonly unwanted: readonly Phrase[];
}

/** Longer texts are cut; the interface allows 200 characters. */
const LONGEST_TEXT = 400;
const PIECE =
  /(?<=^|\s)(?<minus>-+)?(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))(?<star>\*)?|(?<rest>[^\s"]+)|"(?<quoted>[^"]*)"?/gu;

/**
 * Reads the text of a search: words are and-ed, `"phrases"` keep together, `prefix*` may go on, `-without`
 * excludes. Anything else (punctuation, operators of other languages, broken quotes) is a blank.
 * Never fails; what holds no word asks for nothing.
 */
export const parseTerms = (q: string): SearchTerms => {
  const wanted: Phrase[] = [];
  const unwanted: Phrase[] = [];
  for (const { groups = {} } of q.slice(0, LONGEST_TEXT).replace(/[“”„]/g, '"').matchAll(PIECE)) {
    const text = groups.phrase ?? groups.word ?? groups.rest ?? groups.quoted ?? '';
    const phrase = phraseOf(text, groups.star !== undefined || text.endsWith('*'));
    if (phrase !== undefined) (groups.minus === undefined ? wanted : unwanted).push(phrase);
  }
  return { wanted, unwanted };
};

/** One phrase in FTS5's language. Its words are letters and digits only, so nothing needs escaping. */
const ftsPhrase = ({ words, prefix }: Phrase): string => `"${words.join(' ')}"${prefix ? '*' : ''}`;

/** The terms in FTS5's language, or undefined when it wants nothing (and so finds nothing). */
export const ftsExpression = (
  { wanted, unwanted }: SearchTerms,
  platform: Platform | undefined,
): string | undefined => {
  if (wanted.length === 0) return undefined;
  const distinct = (phrases: readonly Phrase[]): string[] => [...new Set(phrases.map(ftsPhrase))];
  const all = distinct(wanted).join(' AND ');
  const without = distinct(unwanted).join(' OR ');
  const words = `{title user tags} : (${without === '' ? all : `(${all}) NOT (${without})`})`;
  return platform === undefined ? words : `(${words}) AND (platform : "${platform}")`;
};
