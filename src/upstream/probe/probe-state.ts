import type { Config } from '../../base/config/config.ts';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { parseJson } from '../../base/wire/fields.ts';
import type { RawResponse } from '../client.ts';
import { decodeResponse } from '../decode/decode.ts';
import { CallError } from '../errors.ts';
import { type UpstreamRequest, withQuery } from '../request.ts';
import { type ListAt, listIn } from './shapes.ts';

/** One open point of the interface, as a probe found it. */
export interface ProbeFinding {
  readonly part: string;
  readonly found: string;
  readonly certainty: 'certain' | 'likely' | 'unknown';
  readonly evidence: string;
  /** Field of the setting `upstream` that it decides; null if it decides none. */
  readonly setting: string | null;
}

/** The call was not made: the calls of the probe are used up. */
export class OutOfCallsError extends Error {}

/** A response as a probe reads it; `value` is undefined if it is not JSON. */
export interface ProbeResponse {
  readonly path: string;
  readonly raw: RawResponse;
  readonly status: number;
  readonly text: string;
  readonly value: unknown;
}

/**
 * Sends one request of a probe, paced and counted.
 * @throws OutOfCallsError once the calls are used up
 */
export type SendProbe = (method: 'GET' | 'HEAD', path: string) => Promise<RawResponse>;

export type ProbeConfig = Pick<Config, 'platforms' | 'feedRange' | 'hashtagRange' | 'upstream'>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const read = (path: string, raw: RawResponse): ProbeResponse => {
  const text = raw.body.toString('utf8', 0, 4_000_000);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    value = undefined;
  }
  return { path, raw, status: raw.status, text, value };
};

/** Items asked for where their number does not matter. */
const FEW_ITEMS = 5;

/** State of a probe: its settings, its findings, and the responses behind them. */
export class ProbeState {
  readonly config: ProbeConfig;
  readonly findings: ProbeFinding[] = [];
  /** Parts that cannot be read, and why. */
  readonly problems = new Map<string, string>();
  readonly refusals: ProbeResponse[] = [];
  readonly answers: ProbeResponse[] = [];
  settings: Mutable<UpstreamSettings>;
  /** True if lists are refused without a page size. */
  isDemanding = false;
  /** True once a query with unknown parameters was refused. */
  isStrict = false;
  /** Items that a short page has at least. */
  smallest = FEW_ITEMS;
  /** Parameter of the page size; undefined if none was accepted. */
  sizeParameter: string | undefined;
  readonly #send: SendProbe;

  constructor(config: ProbeConfig, send: SendProbe) {
    this.config = config;
    this.settings = { ...config.upstream };
    this.sizeParameter = config.upstream.paging?.sizeParameter ?? 'limit';
    this.#send = send;
  }

  async get(
    path: string,
    query: Readonly<Record<string, string | number>> = {},
    method: 'GET' | 'HEAD' = 'GET',
  ): Promise<ProbeResponse> {
    const response = read(path, await this.#send(method, withQuery(path, query)));
    (response.status === 200 ? this.answers : this.refusals).push(response);
    return response;
  }

  /** Messages of a resource, such as `/trends`, that can name words of the service. */
  messagesOf(resource: string): string[] {
    const of = this.refusals.filter(({ path }) => path.startsWith(resource));
    return of.map(({ text }) => text.slice(0, 4000));
  }

  note(finding: Omit<ProbeFinding, 'setting'> & { setting?: string }): void {
    const before = this.findings.findIndex(({ part }) => part === finding.part);
    const noted = { setting: null, ...finding };
    if (before === -1) this.findings.push(noted);
    else this.findings[before] = noted;
  }

  /** Notes a part that cannot be read, with a question for the operator of the service. */
  fail(part: string, question: string, evidence: string): void {
    this.problems.set(part, question);
    this.note({ part, found: `unknown. ${question}`, certainty: 'unknown', evidence });
  }

  /** Items that a response gives with the settings so far, or the reason that it cannot be loaded. */
  readable(request: UpstreamRequest, { raw }: ProbeResponse): number | string {
    try {
      const decoded = decodeResponse(request, raw, this.settings);
      const [rejected] = decoded.rejected;
      if (rejected !== undefined) return `an item cannot be loaded: ${rejected.reason}`;
      if (decoded.kind === 'growth') return decoded.points.length;
      if (decoded.kind === 'creator') return decoded.items.length;
      return 'length' in decoded ? decoded.length : 1;
    } catch (error) {
      if (error instanceof CallError) return error.message;
      throw error;
    }
  }
}

/** The list of videos of a response with status 200. */
export const videosIn = ({ status, value }: ProbeResponse): ListAt | undefined =>
  status === 200 ? listIn(value, 'videos') : undefined;

/** The query of a short list. */
export const fewItems = ({ sizeParameter, smallest }: ProbeState): Record<string, number> =>
  sizeParameter === undefined ? {} : { [sizeParameter]: smallest };

/** A call as evidence: its path and status. */
export const seenIn = (path: string, { status }: ProbeResponse): string => `GET ${path}: ${status}`;
