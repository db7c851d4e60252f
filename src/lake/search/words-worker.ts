import { answerRequests } from '../../base/thread.ts';
import { type IndexedWords, indexedWords, type SearchedTexts } from './index-words.ts';

// Splits and folds words, so that the thread that writes the search index does nothing else.

answerRequests((videos: readonly SearchedTexts[]): readonly IndexedWords[] =>
  videos.map(indexedWords),
);
