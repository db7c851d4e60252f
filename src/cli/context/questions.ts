import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from '../../base/errors.ts';
import type { CliIo } from './io.ts';

/** Asks questions at a terminal, or reads answers from a pipe. */
export class Questions {
  readonly #io: CliIo;
  readonly #lines: Interface;
  readonly #waiting: ((line: string | undefined) => void)[] = [];
  readonly #given: string[] = [];
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
    this.#lines.on('line', (line) => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#given.push(line);
      else next(line);
    });
    this.#lines.on('SIGINT', () => this.#lines.close());
    this.#lines.on('close', () => {
      this.#isOver = true;
      for (const next of this.#waiting.splice(0)) next(undefined);
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
    const line =
      this.#given.shift() ??
      (this.#isOver
        ? undefined
        : await new Promise<string | undefined>((next) => void this.#waiting.push(next)));
    this.#isSecret = false;
    if (isSecret) this.#io.typed('\n');
    if (line === undefined) {
      this.#io.typed('\n');
      throw new UsageError('Nothing was written: the answers ended before the last question.');
    }
    return line.trim();
  }

  /** The answer to a question that may stay unanswered; '' if the answers ended before it. */
  async askLast(question: string): Promise<string> {
    return this.#isOver && this.#given.length === 0 ? '' : this.ask(question).catch(() => '');
  }

  close(): void {
    this.#lines.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
