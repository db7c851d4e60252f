import type { Lake } from '../../lake/open.ts';
import { ProgressLine } from '../text/progress-line.ts';
import type { LoggedIo } from './log.ts';

/** Summary of every command that writes files. */
interface FilesWritten {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly removed?: number;
  readonly durationMs: number;
}

interface FileWork<Summary> {
  readonly lake: Lake;
  /** Name in the log. */
  readonly job: string;
  readonly done: string;
  /** @returns undefined if there is nothing to write */
  readonly write: (progress: ProgressLine, lake: Lake) => Promise<Summary | undefined>;
  /** For people; `json` prints the summary instead. */
  readonly print: (summary: Summary) => void;
  readonly json: boolean;
}

/** Writes files with a progress line, logs and prints the result, and closes the lake. */
export const writeFiles = async <Summary extends FilesWritten>(
  { io, log }: LoggedIo,
  { lake, job, done, write, print, json }: FileWork<Summary>,
): Promise<void> => {
  using progress = new ProgressLine(io);
  try {
    const summary = await write(progress, lake);
    progress.clear();
    if (summary === undefined) return;
    const { files, rows, bytes, removed, durationMs: ms } = summary;
    log.info({ job, files, rows, bytes, removed, ms }, done);
    if (json) io.json(summary);
    else print(summary);
  } finally {
    lake.close();
  }
};
