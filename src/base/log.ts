/** Lowest logged level; `off` logs nothing. */
export const LOG_LEVELS = ['off', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/**
 * Log of the pipeline for programs: a message and fields such as `runId`, `job`, `item` (a request
 * line), `callId`, `outcome`, `attempt`, `ms`, `status`, `rows`. Contains no response body, except
 * the message of a refusal. pino's loggers fit.
 */
export interface Log {
  /** Each call and plan. */
  readonly debug: Write;
  /** Starts and ends. */
  readonly info: Write;
  /** Temporary problems: retries, waits, pauses, drift, rejected items. */
  readonly warn: Write;
  /** Final failures. */
  readonly error: Write;
}

const nothing = (): void => {};

export const SILENT: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
