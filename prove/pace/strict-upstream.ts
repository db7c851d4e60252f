import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE_MS } from '../../src/base/durations.ts';

const RESPONSE = JSON.stringify({ total: 0, page: 1, items: [] });

/**
 * An upstream that writes down each request's arrival and refuses what is over so many in any 60 s. A
 * request travels for a part of its jitter, is counted, and is answered after the rest.
 */
export class StrictUpstream {
  readonly #ratePerMinute: number;
  readonly #jitterMs: number;
  readonly #arrived: (path: string) => void;
  readonly #server: Server;
  /** Instants of arrival by `performance.now()`, ascending. */
  readonly arrivals: number[] = [];
  refused = 0;
  /** Requests sent and not answered. */
  underWay = 0;

  private constructor(
    ratePerMinute: number,
    jitterMs: number,
    arrived: (path: string) => void = () => {},
  ) {
    this.#ratePerMinute = ratePerMinute;
    this.#jitterMs = jitterMs;
    this.#arrived = arrived;
    this.#server = createServer(async ({ url = '' }, response) => {
      this.underWay += 1;
      const thisMs = Math.random() * this.#jitterMs;
      const beforeMs = Math.random() * thisMs;
      await delay(beforeMs);
      this.arrivals.push(performance.now());
      this.#arrived(url);
      const isOver = this.#inWindow(this.arrivals.length - 1) > this.#ratePerMinute;
      if (isOver) this.refused += 1;
      await delay(thisMs - beforeMs);
      this.underWay -= 1;
      response.writeHead(isOver ? 429 : 200, { 'content-type': 'application/json' }).end(RESPONSE);
    });
  }

  /**
   * Listens on a free port of loopback.
   * @param arrived called with each request's path as it is counted
   */
  static async start(
    ratePerMinute: number,
    jitterMs: number,
    arrived?: (path: string) => void,
  ): Promise<StrictUpstream> {
    const upstream = new StrictUpstream(ratePerMinute, jitterMs, arrived);
    upstream.#server.listen(0, '127.0.0.1');
    await once(upstream.#server, 'listening');
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Most arrivals of any 60 s. */
  get worst(): number {
    return Math.max(...this.arrivals.map((_, last) => this.#inWindow(last)));
  }

  /** Shortest time from an arrival to the one that many calls of a minute after it. */
  get shortestMs(): number {
    const later = this.arrivals.slice(this.#ratePerMinute);
    return Math.min(...later.map((at, index) => at - (this.arrivals[index] as number)));
  }

  /** Stops once what is under way was answered. */
  async stop(): Promise<void> {
    await delay(this.#jitterMs);
    this.#server.close();
  }

  /** The figures that both proofs print of what arrived. */
  say(print = say): void {
    print('calls that arrived', `${this.arrivals.length}`);
    print('worst 60 s', `${this.worst} of ${this.#ratePerMinute} allowed`);
    print('responses 429', `${this.refused}`);
    print(
      `shortest time of ${this.#ratePerMinute + 1} calls`,
      `${(this.shortestMs / 1000).toFixed(3)} s`,
    );
  }

  /** Arrivals inside the 60 s that end with one of them. */
  #inWindow(last: number): number {
    const end = this.arrivals[last] as number;
    let first = last;
    while (first > 0 && (this.arrivals[first - 1] as number) > end - MINUTE_MS) first -= 1;
    return last - first + 1;
  }
}

/** Line of a figure. */
export const figureLine = (name: string, figure: string): string => `${name.padEnd(46)}${figure}\n`;

/** Prints a figure. */
export const say = (name: string, figure: string): void => {
  process.stdout.write(figureLine(name, figure));
};
