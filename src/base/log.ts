/** Least level that is written; `off` writes nothing. */
export const LOG_LEVELS = ['off', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/**
 * Where the pipeline says what it does, for machines: a message and its fields, such as `runId`,
 * `job`, `item` (a request line), `callId`, `outcome`, `attempt`, `ms`, `status`, `rows`. Never what
 * a body says, but for the sentence of a refusal. Handed in; pino's loggers are such logs.
 */
export interface Log {
  /** Each call, each plan. */
  readonly debug: Write;
  /** What begins and ends. */
  readonly info: Write;
  /** What went wrong and goes on: retries, waits, pauses, drift, rejected items. */
  readonly warn: Write;
  /** What failed for good. */
  readonly error: Write;
}

const nothing = (): void => {};

/** Says nothing. */
export const SILENT: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
