import type { Lake } from '../../lake/open.ts';
import { ProgressLine } from '../text/progress-line.ts';
import type { LoggedIo } from './log.ts';

/** What every command that writes files tells of it. */
interface FilesWritten {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly removed: number;
  readonly durationMs: number;
}

/** A command that writes files from a lake. */
interface FileWork<Summary> {
  readonly lake: Lake;
  /** As the log names it, and what it then did. */
  readonly job: string;
  readonly done: string;
  /** @returns undefined where there was nothing to do */
  readonly write: (progress: ProgressLine) => Promise<Summary | undefined>;
  /** For people; with `json` the summary is told as it is. */
  readonly print: (summary: Summary) => void;
  readonly json: boolean;
}

/** Writes with a line of progress, logs and tells what came of it, and closes the lake. */
export const writeFiles = async <Summary extends FilesWritten>(
  { io, log }: LoggedIo,
  { lake, job, done, write, print, json }: FileWork<Summary>,
): Promise<void> => {
  const progress = new ProgressLine(io);
  try {
    const summary = await write(progress);
    progress.clear();
    if (summary === undefined) return;
    const { files, rows, bytes, removed, durationMs: ms } = summary;
    log.info({ job, files, rows, bytes, removed, ms }, done);
    if (json) io.json(summary);
    else print(summary);
  } finally {
    progress.clear();
    lake.close();
  }
};
