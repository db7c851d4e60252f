import type { LoggedIo } from './log.ts';

/** Summary of every command that writes files. */
interface FilesWritten {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly removed?: number;
  readonly durationMs: number;
}

/** Writes files, logs and prints the result. */
export const writeFiles = async <Summary extends FilesWritten>(
  { io, log }: LoggedIo,
  {
    job,
    done,
    write,
    text,
  }: {
    /** Name in the log. */
    readonly job: string;
    readonly done: string;
    /** @returns undefined if there is nothing to write */
    readonly write: () => Promise<Summary | undefined>;
    readonly text: (summary: Summary) => readonly string[];
  },
): Promise<void> => {
  const summary = await write();
  if (summary === undefined) return;
  const { files, rows, bytes, removed, durationMs: ms } = summary;
  log.info({ job, files, rows, bytes, removed, ms }, done);
  io.show(summary, () => text(summary));
};
