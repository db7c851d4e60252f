import type { Platform } from '../../../schema/vocabulary.ts';
import { type Phrase, phraseOf } from './search-words.ts';

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
