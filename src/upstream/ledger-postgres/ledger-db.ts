import { once } from 'node:events';
import { Socket } from 'node:net';
import { DatabaseError, Pool, type PoolClient } from 'pg';
import type { Clock } from '../../base/clock.ts';
import { type PostgresAddress, postgresAddress } from '../../base/config/postgres-url.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import type { Secret } from '../../base/secret.ts';
import { LedgerAwayError, LedgerError } from './errors.ts';

/** Longest failover before calls pause. */
const PATIENCE_MS = 15 * SECOND_MS;
/** After that it is tried once only: who waited once need not wait for each statement after. */
const AWAY_MS = 30 * SECOND_MS;
const BETWEEN_TRIES_MS = 250;
const CONNECT_MS = 5 * SECOND_MS;
const ANSWER_MS = 10 * SECOND_MS;
const CONNECTIONS = 4;
/** Longest wait for a statement once the process is asked to end. */
const STOPPING_MS = 2 * SECOND_MS;
/** Longest wait for the server to end its connections. A frozen one never does. */
const END_MS = 2 * SECOND_MS;

/**
 * States of a server that pass: the connection failed (08), it shuts down or starts (57P), is a
 * standby (25006), has no connection left (53300), a lock is held for long (55P03), or two
 * transactions conflicted (40).
 */
const PASSING = /^(08|57P|25006|53300|55P03|40)/;

const isPassing = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || PASSING.test(error.code ?? '');

/** Advice for the operator after a refusal of the server. */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'Check user and password in TRENDLAKE_LEDGER_URL.',
  '28000': 'Check the user in TRENDLAKE_LEDGER_URL and the server’s pg_hba.conf.',
  '3D000': `Make the database, then run \`${commandText('ledger init')}\`.`,
  '3F000': `Run \`${commandText('ledger init')}\`.`,
  '42P01': `Run \`${commandText('ledger init')}\`.`,
  '42883': `Run \`${commandText('ledger init')}\`.`,
  '42501': 'The user needs the right to use the ledger’s schema, tables and functions.',
};

/** Code of the protocol's message that cancels the statement of another connection. */
const CANCEL_REQUEST = 80_877_102;

/** Identifies a connection in a request to cancel its statement. */
interface BackendKey {
  readonly processID: number;
  readonly secretKey: number;
}

/** Options of the ledger's connections. */
export interface DbOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'now' | 'sleep'>;
  /** Timeout before the server counts as away. Default 15 s. */
  readonly patienceMs?: number;
  /** Timeout of one statement, also of connecting for it. Default 10 s. */
  readonly answerMs?: number;
  /** Aborts when the process is asked to end. Statements then get 2 s and one try. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Connections to the shared ledger. A statement whose connection fails is tried again, on the next
 * host where the address names several, so every statement must be safe to run again.
 */
export class LedgerDb {
  readonly #address: PostgresAddress;
  readonly #options: DbOptions;
  #host = 0;
  #pool: Pool | undefined;
  /** Of all open connections, also of those that were given up. */
  readonly #sockets = new Set<Socket>();
  /** Connections on which the server warned. */
  readonly #warned = new WeakSet<object>();
  /** Monotonic instant until which the server counts as away. */
  #awayUntil = 0;
  /** The only statement under way while the server counts as away. */
  #probe: Promise<unknown> | undefined;

  constructor(address: PostgresAddress, options: DbOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** The ledger's schema, quoted. */
  get schema(): string {
    return `"${this.#address.schema}"`;
  }

  /** Server and database, without user and password. */
  get shown(): string {
    return this.#address.shown;
  }

  /**
   * Runs a statement and gives its rows. While the server counts as away, one statement at a time
   * tries it.
   * @throws LedgerAwayError when no server answers in time; LedgerError when it refuses
   */
  async rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    while (this.#isAway && this.#probe !== undefined) await this.#probe.catch(() => {});
    const rows = this.#tryRows<Row>(sql, values);
    if (!this.#isAway) return rows;
    this.#probe = rows;
    return rows.finally(() => {
      this.#probe = undefined;
    });
  }

  get #isAway(): boolean {
    return this.#options.clock.monotonic() < this.#awayUntil;
  }

  async #tryRows<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    const { clock, patienceMs = PATIENCE_MS, stopping } = this.#options;
    const from = clock.monotonic();
    if (this.#isAway && stopping?.aborted === true)
      throw this.#away(new Error('the process is asked to end'));
    const giveUpAt = from < this.#awayUntil ? from : from + patienceMs;
    for (;;) {
      const pool = this.#open();
      try {
        const rows = await this.#unlessStopping(this.#query<Row>(pool, sql, values));
        this.#awayUntil = 0;
        return rows;
      } catch (error) {
        if (!isPassing(error)) throw this.#refused(error);
        this.#next(pool);
        const now = clock.monotonic();
        if (now >= giveUpAt || stopping?.aborted === true) {
          this.#awayUntil = now + AWAY_MS;
          throw this.#away(error);
        }
        await clock.sleep(BETWEEN_TRIES_MS);
      }
    }
  }

  /** Rejects if a statement takes too long once the process is asked to end. */
  async #unlessStopping<Result>(result: Promise<Result>): Promise<Result> {
    const { clock, stopping } = this.#options;
    if (stopping === undefined) return result;
    const ended = new AbortController();
    const { signal } = ended;
    const tooLong = async (): Promise<never> => {
      if (!stopping.aborted) await once(stopping, 'abort', { signal });
      await clock.sleep(STOPPING_MS, signal);
      throw new Error('it did not answer before the process ends');
    };
    try {
      return await Promise.race([result, tooLong()]);
    } finally {
      ended.abort();
    }
  }

  /**
   * A commit that the server gave up waiting to see on its standby is reported as done, with a warning: a
   * failover may undo it, so its outcome is unknown.
   */
  async #query<Row>(pool: Pool, sql: string, values: readonly unknown[]): Promise<Row[]> {
    const client = await pool.connect();
    try {
      const { rows } = await client.query(sql, [...values]);
      if (this.#warned.has(client)) throw new Error('the server warned that it may lose a commit');
      client.release();
      return rows as Row[];
    } catch (error) {
      if (!(error instanceof DatabaseError)) this.#cancel(client);
      client.release(true);
      throw error;
    }
  }

  /**
   * Ends the statement of a connection that is given up. A commit whose standby is down would wait and hold
   * its locks without end.
   */
  #cancel(client: PoolClient): void {
    const { host, port, processID, secretKey } = client as PoolClient & BackendKey;
    const request = Buffer.alloc(16);
    for (const [index, word] of [16, CANCEL_REQUEST, processID, secretKey].entries())
      request.writeInt32BE(word, 4 * index);
    const socket = this.#socket().on('error', () => {});
    socket.setTimeout(END_MS, () => socket.destroy());
    if (host.startsWith('/')) socket.connect(`${host}/.s.PGSQL.${port}`);
    else socket.connect(port, host);
    socket.end(request);
  }

  /** Calls a function of the ledger; what it returns. */
  async call<T>(name: string, ...values: readonly unknown[]): Promise<T> {
    const parameters = values.map((_, index) => `$${index + 1}`).join(', ');
    const rows = await this.rows<{ value: T }>(
      `select ${this.schema}.${name}(${parameters}) as value`,
      values,
    );
    return rows[0]?.value as T;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Ends all connections, so that the process can exit even while the server is frozen. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    const ended = new AbortController();
    const patience = this.#options.clock.sleep(END_MS, ended.signal).catch(() => {}); // all have ended
    await Promise.race([pool?.end(), patience]);
    ended.abort();
    for (const socket of this.#sockets) socket.destroy();
  }

  #socket = (): Socket => {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  };

  #open(): Pool {
    if (this.#pool !== undefined) return this.#pool;
    const { urls } = this.#address;
    const { answerMs = ANSWER_MS } = this.#options;
    const pool = new Pool({
      connectionString: urls[this.#host % urls.length],
      application_name: 'trendlake',
      max: CONNECTIONS,
      connectionTimeoutMillis: Math.min(CONNECT_MS, answerMs),
      query_timeout: answerMs,
      keepAlive: true,
      stream: this.#socket,
    });
    pool.on('connect', (client) => {
      client.on('error', () => {}); // its statement gets the error
      client.on('notice', ({ severity }) => {
        if (severity === 'WARNING') this.#warned.add(client);
      });
    });
    pool.on('error', () => {}); // an idle connection was lost: the next statement opens another
    this.#pool = pool;
    return pool;
  }

  /** Leaves a host that failed, unless another statement has left it already. */
  #next(pool: Pool): void {
    if (this.#pool !== pool) return;
    this.#pool = undefined;
    this.#host += 1;
    void pool.end().catch(() => {});
  }

  #away(error: unknown): LedgerAwayError {
    return new LedgerAwayError(
      `The shared ledger at ${this.shown} cannot be reached (${messageOf(error)}). No call is made that it does not count; the run goes on once it is back.`,
      this.#options.clock.now() + MINUTE_MS,
      { cause: error },
    );
  }

  #refused(error: unknown): LedgerError {
    const code = error instanceof DatabaseError ? (error.code ?? '') : '';
    return new LedgerError(
      `The shared ledger at ${this.shown} cannot be used: ${messageOf(error)}. ${ADVICE[code] ?? 'Check TRENDLAKE_LEDGER_URL and the server’s log.'}`,
      { cause: error },
    );
  }
}

/** Connections to the ledger of a setting, which was checked when it was read. */
export const openLedgerDb = (url: Secret, options: DbOptions): LedgerDb => {
  const address = postgresAddress(url.reveal());
  if (address === undefined) throw new TypeError('the address of the ledger was not checked');
  return new LedgerDb(address, options);
};
