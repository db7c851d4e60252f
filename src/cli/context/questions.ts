import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from '../../base/errors.ts';
import type { CliIo } from './io.ts';

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

  close(): void {
    this.#lines.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
