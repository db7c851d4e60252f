import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LakeError } from '../../base/errors.ts';
import { workerFile } from '../../base/worker-file.ts';
import type { IndexedWords, SearchedTexts } from './index-words.ts';

const YOUNG_MIB = 4;

/** Cuts the words of videos in a thread of its own. Stop it when nothing is to be cut any more. */
export class WordsThread {
  readonly #worker: Worker;
  readonly #cut: ReturnType<typeof on>;

  constructor() {
    this.#worker = new Worker(workerFile(import.meta.url, 'words-worker'), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    this.#cut = on(this.#worker, 'message', { close: ['exit'] });
  }

  /** Hands videos over. Their words come by `next`, in the order they were handed over. */
  give(videos: readonly SearchedTexts[]): void {
    this.#worker.postMessage(videos);
  }

  async next(): Promise<readonly IndexedWords[]> {
    const { value, done } = await this.#cut.next();
    if (done === true) throw new LakeError('The thread that cuts words ended with no word of why.');
    return value[0];
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
