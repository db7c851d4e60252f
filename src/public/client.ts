import type { Period, Platform } from '../../schema/vocabulary.ts';
import { systemClock } from '../base/clock.ts';
import { serviceUrl } from '../base/config/setting-readers.ts';
import { TIERS } from '../base/config/tiers.ts';
import type { UpstreamSettings } from '../base/config/upstream-settings.ts';
import { UsageError } from '../base/errors.ts';
import { isoOf, isoOrNull, withIso } from '../base/iso.ts';
import { proxyIn } from '../base/proxy.ts';
import { Secret } from '../base/secret.ts';
import { platformOfId } from '../base/wire/fields.ts';
import { plainHandle } from '../base/wire/folding.ts';
import { type Lake, openLake } from '../lake/open.ts';
import { openThrottle } from '../run/run/open-throttle.ts';
import { type ApiClient, HttpApiClient } from '../upstream/client.ts';
import { type DecodedResponse, decodeResponse } from '../upstream/decode/decode.ts';
import type {
  DecodedHashtag,
  DecodedItem,
  DecodedPoint,
  DecodedProfile,
} from '../upstream/decode/decode-items.ts';
import type { UpstreamRequest } from '../upstream/request.ts';
import type { Throttle } from '../upstream/throttle/throttle.ts';

// `trendlake/client`: the interface as a typed client. Every call is written to the ledger of a data
// directory before it leaves, so that programs, `trendlake sync` and a restart in between share one
// minute and one month. A lake is where the ledger stands; nothing else is written to it.

export type { Period, Platform };

/** Service, key and ledger of a client. */
export interface ClientOptions {
  /** Address of the service, ending in `/v1`. */
  readonly baseUrl: string;
  /** Sent to the base URL only, stored nowhere. */
  readonly apiKey: string;
  /** Data directory whose ledger counts the calls; created if it does not exist. */
  readonly dataDir: string;
  /** `beta` (60 a minute, 50,000 a month) unless given. */
  readonly tier?: 'beta' | 'scale';
  /** Calls a minute and a month, where the key has its own numbers. */
  readonly ratePerMinute?: number;
  readonly callsPerMonth?: number;
  /** Start of the month: `calendar` (default), `anchor:<day>` or `rolling`. */
  readonly quotaReset?: string;
  /** Longest wait for one response; 30,000 unless given. */
  readonly timeoutMs?: number;
  /** Words, paging and units of the service, as in the setting `upstream`. */
  readonly upstream?: UpstreamSettings;
}

/** Cuts a call off, also while it waits for its turn. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Part of a list; pages start at 1. */
export interface ListOptions extends CallOptions {
  readonly limit?: number;
  readonly page?: number;
}

/**
 * A video as the service stated it; what it left out is null, what nobody announced is in `extra`.
 * `createdAt` is ISO 8601, the rate in percent.
 */
export type ListedVideo = Readonly<
  Omit<DecodedItem, 'createdAt' | 'score' | 'velocity' | 'snapshotExtra'> & {
    createdAt: string | null;
  }
>;

/** A hashtag with its volume over all platforms and on each. */
export type ListedHashtag = Readonly<Omit<DecodedHashtag, 'extra' | 'sampled'>>;

/** A page of a list, best first. `total` and `asOf` are null where the service does not state them. */
interface ListPage<T> {
  readonly total: number | null;
  readonly asOf: string | null;
  readonly items: T[];
}

export type VideoList = ListPage<ListedVideo>;
export type HashtagList = ListPage<ListedHashtag>;

/** Counts of a video or a creator at one instant, ISO 8601. */
export interface CountsAt {
  readonly at: string;
  readonly views: number | null;
  readonly likes: number | null;
}

/** A creator with the videos the service shows of them. */
export interface ListedCreator extends Readonly<Omit<DecodedProfile, 'extra'>> {
  readonly videos: ListedVideo[];
  readonly growth: readonly (CountsAt & { readonly followers: number | null })[];
}

const DEFAULT_LIMIT = 50;
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * A client of the interface. Methods reject with an error that says in words what happened and what
 * to do; those of a spent quota or pause name the instant at which calls are free again.
 */
export class Client {
  readonly #lake: Lake;
  readonly #http: ApiClient;
  readonly #throttle: Throttle;
  readonly #words: UpstreamSettings;

  /** @throws UsageError when an option cannot be right or the data directory cannot be used */
  constructor(options: ClientOptions) {
    const { baseUrl, apiKey, tier = 'beta', timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    this.#words = options.upstream ?? {};
    const address = serviceUrl(baseUrl);
    if ('expected' in address) throw new UsageError(`baseUrl must be ${address.expected}.`);
    const limits = {
      ratePerMinute: options.ratePerMinute ?? TIERS[tier].ratePerMinute,
      callsPerMonth: options.callsPerMonth ?? TIERS[tier].callsPerMonth,
      quotaReset: options.quotaReset ?? 'calendar',
      timeoutMs,
    };
    this.#http = new HttpApiClient({
      baseUrl: address.value,
      apiKey: new Secret(apiKey),
      timeoutMs,
      upstream: this.#words,
      proxy: proxyIn(process.env),
    });
    this.#lake = openLake(options.dataDir);
    this.#throttle = openThrottle({
      lake: this.#lake,
      limits,
      client: this.#http,
      config: { upstream: this.#words },
      clock: systemClock,
      random: Math.random,
    }).throttle;
  }

  /** `GET /feed/{platform}`: latest viral content, best first. One call. */
  async feed(
    platform: Platform,
    options: ListOptions & { readonly dateRange?: string } = {},
  ): Promise<VideoList> {
    const { dateRange = '24h' } = options;
    return this.#videos({ kind: 'feed', platform, dateRange, ...paging(options) }, options);
  }

  /** `GET /trends/{platform}/{period}`. One call. */
  async trends(platform: Platform, period: Period, options: ListOptions = {}): Promise<VideoList> {
    return this.#videos({ kind: 'trends', platform, period, ...paging(options) }, options);
  }

  /** `GET /search`: words are and-ed. One call. */
  async search(
    q: string,
    options: ListOptions & { readonly platform?: Platform } = {},
  ): Promise<VideoList> {
    const { platform } = options;
    const where = platform === undefined ? {} : { platform };
    return this.#videos({ kind: 'search', q, ...where, ...paging(options) }, options);
  }

  /** `GET /hashtags`. One call. */
  async hashtags(
    options: ListOptions & { readonly dateRange?: string } = {},
  ): Promise<HashtagList> {
    const { dateRange = '30d' } = options;
    const request = { kind: 'hashtags', dateRange, ...paging(options) } as const;
    const read = await this.#request(request, 'hashtags', options);
    const items = read.items.map(({ item: { extra: _, sampled: __, ...hashtag } }) => hashtag);
    return { total: read.total, asOf: isoOrNull(read.asOf), items };
  }

  /** `GET /videos/{id}/growth`: a video's counts, as the service states them. One call. */
  async growth(id: string, options: CallOptions = {}): Promise<CountsAt[]> {
    const platform = platformOfId(id);
    if (platform === undefined)
      throw new UsageError(
        `The id "${id.slice(0, 128)}" begins with no platform's prefix (tt_, ig_, yt_).`,
      );
    const read = await this.#request({ kind: 'growth', id, platform }, 'growth', options);
    return read.points.map(countsAt);
  }

  /** `GET /creators/{platform}/{handle}`; a leading `@` is accepted. One call. */
  async creator(
    platform: Platform,
    handle: string,
    options: CallOptions = {},
  ): Promise<ListedCreator> {
    const query = { kind: 'creator', platform, handle: plainHandle(handle) } as const;
    const read = await this.#request(query, 'creator', options);
    const { extra: _, ...profile } = read.profile;
    const growth = read.growth.map(({ followers, ...point }) => ({
      ...countsAt(point),
      followers,
    }));
    return { ...profile, videos: read.items.map(shown), growth };
  }

  /** `POST /lab/analyze`: why a video went viral, as the service answered. One call. */
  async analyze(id: string, options: CallOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return (await this.#request({ kind: 'analyze', id }, 'analysis', options)).analysis;
  }

  /** Calls made by this client so far. */
  get calls(): { readonly sent: number; readonly ok: number; readonly failed: number } {
    return { ...this.#throttle.counts };
  }

  async close(): Promise<void> {
    await this.#http.close();
    this.#lake.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #videos(request: UpstreamRequest, options: CallOptions): Promise<VideoList> {
    const read = await this.#request(request, 'videos', options);
    const items = read.items.map(({ item }) => shown(item));
    return { total: read.total, asOf: isoOrNull(read.asOf), items };
  }

  /** Makes one call, retries included; each attempt is a row of the ledger. */
  async #request<Kind extends DecodedResponse['kind']>(
    request: UpstreamRequest,
    kind: Kind,
    { signal }: CallOptions,
  ): Promise<Extract<DecodedResponse, { kind: Kind }>> {
    const { read, settle } = await this.#throttle.request(
      request,
      (raw) => decodeResponse(request, raw, this.#words),
      { runId: null, job: 'client', ...(signal === undefined ? {} : { signal }) },
    );
    this.#lake.sqlite.transaction(() => settle(0)).immediate();
    if (read.kind !== kind) throw new TypeError(`${kind} was read as ${read.kind}`);
    return read as Extract<DecodedResponse, { kind: Kind }>;
  }
}

const paging = ({ limit = DEFAULT_LIMIT, page = 1 }: ListOptions) => ({
  limit,
  page,
  offset: (page - 1) * limit,
});

const countsAt = ({
  at,
  views,
  likes,
}: Pick<DecodedPoint, 'at' | 'views' | 'likes'>): CountsAt => ({
  at: isoOf(at),
  views,
  likes,
});

const shown = ({ score: _, velocity: __, ...item }: DecodedItem): ListedVideo =>
  withIso(item, 'createdAt');

/**
 * A client of the interface whose calls are counted in the ledger of `dataDir`.
 * @throws UsageError when an option cannot be right or the data directory cannot be used
 */
export const createClient = (options: ClientOptions): Client => new Client(options);
