import type { Platform } from '../../schema/vocabulary.ts';
import { type Phrase, phraseOf } from './search-words.ts';

/** A search question, read: every `wanted` and no `unwanted` phrase. */
export interface SearchQuestion {
  readonly wanted: readonly Phrase[];
  readonly unwanted: readonly Phrase[];
}

/** Longer questions are cut; the interface allows 200 characters. */
const LONGEST_QUESTION = 400;
const PIECE =
  /(?<=^|\s)(?<minus>-+)?(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))(?<star>\*)?|(?<rest>[^\s"]+)|"(?<quoted>[^"]*)"?/gu;

/**
 * Reads a question: words are and-ed, `"phrases"` keep together, `prefix*` may go on, `-without`
 * excludes. Anything else (punctuation, operators of other languages, broken quotes) is a blank.
 * Never fails; what holds no word asks for nothing.
 */
export const parseQuestion = (q: string): SearchQuestion => {
  const wanted: Phrase[] = [];
  const unwanted: Phrase[] = [];
  for (const { groups = {} } of q
    .slice(0, LONGEST_QUESTION)
    .replace(/[“”„]/g, '"')
    .matchAll(PIECE)) {
    const text = groups.phrase ?? groups.word ?? groups.rest ?? groups.quoted ?? '';
    const phrase = phraseOf(text, groups.star !== undefined || text.endsWith('*'));
    if (phrase !== undefined) (groups.minus === undefined ? wanted : unwanted).push(phrase);
  }
  return { wanted, unwanted };
};

/** One phrase in FTS5's language. Its words are letters and digits only, so nothing needs escaping. */
const ftsPhrase = ({ words, prefix }: Phrase): string => `"${words.join(' ')}"${prefix ? '*' : ''}`;

/** The question in FTS5's language, or undefined when it wants nothing (and so finds nothing). */
export const ftsExpression = (
  { wanted, unwanted }: SearchQuestion,
  platform: Platform | undefined,
): string | undefined => {
  if (wanted.length === 0) return undefined;
  const once = (phrases: readonly Phrase[]): string[] => [...new Set(phrases.map(ftsPhrase))];
  const all = once(wanted).join(' AND ');
  const without = once(unwanted).join(' OR ');
  const words = `{title user tags} : (${without === '' ? all : `(${all}) NOT (${without})`})`;
  return platform === undefined ? words : `(${words}) AND (platform : "${platform}")`;
};
