import { parentPort } from 'node:worker_threads';
import { indexedWords, type SearchedTexts } from './index-words.ts';

// The thread that cuts and folds words, so that the one that writes the index does nothing else. See
// words-thread.ts. It answers each message with one, in their order.

parentPort?.on('message', (videos: readonly SearchedTexts[]) =>
  parentPort?.postMessage(videos.map(indexedWords)),
);
