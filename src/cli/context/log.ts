import { closeSync, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../base/config/config.ts';
import { isStop, messageOf, UsageError } from '../../base/errors.ts';
import { hiding } from '../../base/hidden-forms.ts';
import { isoOf } from '../../base/iso.ts';
import { type Log, type LogLevel, SILENT } from '../../base/log.ts';
import { Secret } from '../../base/secret.ts';
import { type CliIo, configOf } from './io.ts';

interface OpenLog {
  readonly log: Logger;
  /** True: lines go to stderr, so sentences for people must not. */
  readonly onStderr: boolean;
  close(): void;
}

/** Syslog priorities, which journald reads from the start of a line (see sd-daemon(3)). */
const PRIORITIES: Record<string, number> = { error: 3, warn: 4, info: 6, debug: 7 };

/** True when stderr is journald. */
const isJournal = (env: NodeJS.ProcessEnv): boolean => {
  const [device, inode] = (env.JOURNAL_STREAM ?? '').split(':');
  if (inode === undefined) return false;
  const stderr = fstatSync(2, { bigint: true });
  return String(stderr.dev) === device && String(stderr.ino) === inode;
};

/** Appends lines to a file. A write error, such as a full disk, is reported once. */
class LogFile {
  readonly #path: string;
  readonly #io: CliIo;
  readonly #file: number;
  #isLacking = false;

  /** @throws UsageError if the file cannot be opened */
  constructor(path: string, io: CliIo) {
    this.#path = path;
    this.#io = io;
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#file = openSync(path, 'a', 0o640);
    } catch (error) {
      throw new UsageError(
        `TRENDLAKE_LOG_FILE cannot be written: ${messageOf(error)}. Choose another file, or unset it to log to stderr.`,
        { cause: error },
      );
    }
  }

  write(line: string): void {
    try {
      writeSync(this.#file, line);
      this.#isLacking = false;
    } catch (error) {
      if (!this.#isLacking)
        this.#io.err(`warning: log lines are lost, ${this.#path}: ${messageOf(error)}`);
      this.#isLacking = true;
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Replaces secrets that found their way into a message. */
const hidingSecrets = (settings: Config): ((line: string) => string) => {
  const hides = Object.values(settings)
    .filter((value) => value instanceof Secret)
    .map((secret) => hiding(secret.reveal()));
  return (line) => hides.reduce((text, hide) => hide(text), line);
};

/**
 * Opens the log: JSON lines to stderr or `TRENDLAKE_LOG_FILE`. Undefined when it is off; pino is
 * then not loaded.
 * @param usual default level
 * @throws UsageError if the file cannot be opened
 */
export const openLog = async (
  settings: Config,
  usual: LogLevel,
  io: CliIo,
): Promise<OpenLog | undefined> => {
  const level = settings.log ?? (settings.logFile === undefined ? usual : 'info');
  if (level === 'off') return undefined;
  const { pino } = await import('pino');
  const withoutSecrets = hidingSecrets(settings);
  const file =
    settings.logFile === undefined ? undefined : new LogFile(resolve(io.cwd, settings.logFile), io);
  const priority = file === undefined && isJournal(io.env);
  const write = (line: string): void => {
    const text = withoutSecrets(line);
    if (file !== undefined) file.write(text);
    else io.logLine(text.trimEnd());
  };
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoOf(io.clock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write: (line) => {
        const [, label = ''] = priority ? (/^\{"level":"(\w+)"/.exec(line) ?? []) : [];
        write(priority ? `<${PRIORITIES[label] ?? 6}>${line}` : line);
      },
    },
  );
  return { log, onStderr: file === undefined, close: () => file?.close() };
};

/** A command's log, output and settings. */
export interface LoggedIo {
  readonly log: Log;
  readonly io: CliIo;
  readonly config: Config;
  /** True: stderr is for people. False: it holds the log, without progress lines. */
  readonly forPeople: boolean;
}

/** Runs a command with its log. Errors are logged too; a stop is not an error. */
export const withLog = async (
  io: CliIo,
  usual: LogLevel,
  work: (logged: LoggedIo) => Promise<void>,
): Promise<void> => {
  const config = configOf(io);
  const opened = await openLog(config, usual, io);
  if (opened === undefined) return work({ log: SILENT, io, config, forPeople: true });
  const { log, onStderr, close } = opened;
  if (onStderr)
    io.divert((line) => (line.startsWith('warning: ') ? log.warn : log.info).call(log, {}, line));
  try {
    await work({ log, io, config, forPeople: !onStderr });
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error;
    if (isStop(error, io.signal)) log.info({ outcome: 'paused' }, messageOf(io.signal.reason));
    else log.error({ outcome: 'failed', error: name }, messageOf(error));
    throw error;
  } finally {
    io.divert(undefined);
    close();
  }
};

/** Summary of every command that writes files. */
interface FilesWritten {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly removed?: number;
  readonly durationMs: number;
}

/** Logs and prints the files that a command wrote. */
export const showFiles = (
  { io, log }: LoggedIo,
  summary: FilesWritten,
  { job, done, text }: { job: string; done: string; text: readonly string[] },
): void => {
  const { files, rows, bytes, removed, durationMs: ms } = summary;
  log.info({ job, files, rows, bytes, removed, ms }, done);
  io.show(summary, () => text);
};
