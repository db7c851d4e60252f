import { BORDER, wordsOf } from './search-words.ts';

/** Searched texts of a video. */
export interface SearchedTexts {
  readonly title: string | null;
  readonly user: string | null;
  /** Its hashtags, a line each. */
  readonly tags: string | null;
}

/** The same as the index takes it: words, divided by blanks. */
export interface IndexedWords {
  readonly title: string;
  readonly user: string;
  readonly tags: string;
}

const TAG_SEPARATOR = '\n';

const indexText = (text: string | null): string => (text === null ? '' : wordsOf(text).join(' '));

/** The words of those tags that do not stand in the title already. */
const tagsText = (tags: string | null, titleText: string): string => {
  if (tags === null) return '';
  const within = ` ${titleText} `;
  return tags
    .split(TAG_SEPARATOR)
    .map(indexText)
    .filter((tag) => tag !== '' && !within.includes(` ${tag} `))
    .join(` ${BORDER} `);
};

/** The words of a video, column by column of the index. */
export const indexedWords = ({ title, user, tags }: SearchedTexts): IndexedWords => {
  const titleText = indexText(title);
  return { title: titleText, user: indexText(user), tags: tagsText(tags, titleText) };
};
