import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from '../../base/errors.ts';
import type { CliIo } from './io.ts';

const askOnce = async (io: CliIo, question: string): Promise<string> => {
  using questions = new Questions(io);
  return await questions.ask(question);
};

/**
 * Asks before something that cannot be undone.
 * @param toDo what --yes would do, such as `restore latest`
 * @throws UsageError if nobody can answer
 */
export const isConfirmed = async (
  io: CliIo,
  { question, done, toDo }: { question: string; done: string; toDo: string },
): Promise<boolean> => {
  if (io.input?.isTTY !== true)
    throw new UsageError(
      `Nothing was ${done}: it needs your confirmation and stdin is not a terminal. Add --yes to ${toDo}.`,
    );
  return /^y/i.test(await askOnce(io, `${question} [y/N]`));
};

/** True unless somebody at a terminal says no. */
export const isNotRefused = async (io: CliIo, question: string): Promise<boolean> =>
  io.input?.isTTY !== true || !/^n/i.test(await askOnce(io, `${question} [Y/n]`));

/** Asks questions at a terminal, or reads answers from a pipe. */
export class Questions {
  readonly #io: CliIo;
  readonly #lines: Interface;
  /** Lines that were typed or piped, also before they are asked for. */
  readonly #answers: AsyncIterator<string, undefined>;
  #isOver = false;
  #isSecret = false;

  constructor(io: CliIo) {
    const { input } = io;
    if (input === undefined)
      throw new UsageError(
        'stdin is closed, so the questions cannot be answered. Run it in a terminal or pipe the answers.',
      );
    this.#io = io;
    // only readline echoes input, so that a key can stay hidden
    const shown = new Writable({
      write: (chunk, _, done) => {
        if (!this.#isSecret) io.typed(String(chunk));
        done();
      },
    });
    this.#lines = createInterface({ input, output: shown, terminal: input.isTTY === true });
    this.#answers = this.#lines[Symbol.asyncIterator]();
    this.#lines.on('SIGINT', () => this.#lines.close());
    this.#lines.on('close', () => {
      this.#isOver = true;
    });
  }

  /**
   * The trimmed answer; '' for Enter alone.
   * @throws UsageError if the input ends first
   */
  async ask(question: string, { isSecret = false } = {}): Promise<string> {
    if (this.#isOver) this.#io.typed(`${question} `);
    else {
      this.#lines.setPrompt(`${question} `);
      this.#lines.prompt();
    }
    this.#isSecret = isSecret;
    const { value: line } = await this.#answers.next();
    this.#isSecret = false;
    if (isSecret) this.#io.typed('\n');
    if (line === undefined) {
      this.#io.typed('\n');
      throw new UsageError('Nothing was written: the answers ended before the last question.');
    }
    return line.trim();
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }
}
