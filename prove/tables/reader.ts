import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

const PROCESS = join(import.meta.dirname, '..', '..', 'test', 'engines', 'reader-process.ts');

type Cell = string | number | null;
interface Answer {
  rows?: Cell[][];
  error?: string;
}

/** The ClickHouse engine in its own process; it knows nothing of trendlake. */
export class Reader {
  readonly #process: ChildProcess = fork(PROCESS);

  /** Asks one question after another. @throws what the engine says */
  query(sql: string): Promise<Cell[][]> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void => reject(new Error(`the reader ended: ${code}`));
      this.#process.once('exit', ended);
      this.#process.once('message', ({ rows, error }: Answer) => {
        this.#process.off('exit', ended);
        if (rows === undefined) reject(new Error(error));
        else resolve(rows);
      });
      this.#process.send(sql);
    });
  }

  close(): void {
    this.#process.kill();
  }
}
