import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import {
  type ForecastStanding,
  forecastsAtMost,
  risingUntil,
  standingName,
} from '../../learn/forecast/standing.ts';
import { HORIZONS } from '../../learn/model/horizons.ts';
import { ALWAYS, isStillTrue, type LakeCache, type Shelf, type Validity } from './lake-cache.ts';
import type { QueryOf, Rising } from './page-readings.ts';
import type { PageRequester, Requester } from './reader-thread.ts';

/** Rows of a list of rising videos on a page. */
export const RISING_SHOWN = 20;
/** Approximate memory of a forecast standing. */
const STANDING_BYTES = 50_000;

/** The lists of a platform on the forecasts page. */
export const risingOf = (
  platform: Platform,
  hours: (typeof HORIZONS)[number],
  at: number,
): QueryOf<'rising'> => ({ platform, hours, limit: RISING_SHOWN, tagsOf: [platform, ''], at });

export interface ForecastsFound {
  readonly rising: Rising;
  readonly standing: ForecastStanding;
}

export interface ForecastReadsDeps {
  readonly cache: LakeCache;
  /** As in `ReadLimits`. */
  readonly rowsHere: number;
  readonly readRising: (query: QueryOf<'rising'>, by: PageRequester) => Promise<Rising>;
  readonly readStanding: (at: number, by: PageRequester) => Promise<ForecastStanding>;
}

/** Forecasts of pages, kept until the lake or the time changes them. */
export class ForecastReads {
  readonly #lake: Lake;
  readonly #deps: ForecastReadsDeps;
  readonly #standings: Shelf<Validity & { readonly standing: ForecastStanding }>;
  readonly #risings: Shelf<Validity & { readonly rising: Rising }>;

  constructor(lake: Lake, deps: ForecastReadsDeps) {
    this.#lake = lake;
    this.#deps = deps;
    this.#standings = deps.cache.shelf();
    this.#risings = deps.cache.shelf();
  }

  async find(query: QueryOf<'rising'>, by: Requester): Promise<ForecastsFound> {
    const rising = await this.#rising(query, by);
    return { rising, standing: await this.#standing(query.at, by) };
  }

  /** Reads all lists of the page before anyone asks for them. */
  async computeAhead(at: number, owner: string): Promise<void> {
    const by = { owner, unwanted: new AbortController().signal };
    await this.#standing(at, by);
    for (const platform of PLATFORMS)
      for (const hours of HORIZONS) await this.#rising(risingOf(platform, hours, at), by);
  }

  async #rising({ at, ...rest }: QueryOf<'rising'>, by: Requester): Promise<Rising> {
    const moment = { version: lakeVersion(this.#lake), at };
    const name = JSON.stringify(rest);
    const held = this.#risings.get(name);
    if (held !== undefined && isStillTrue(held, moment)) return held.rising;
    const until = risingUntil(this.#lake.sqlite, at);
    const rising = await this.#deps.readRising({ at, ...rest }, this.#requester(by));
    const bytes = 2 * JSON.stringify(rising).length;
    this.#risings.set(
      name,
      { version: this.#still(moment.version), from: at, until, rising },
      bytes,
    );
    return rising;
  }

  async #standing(at: number, by: Requester): Promise<ForecastStanding> {
    const moment = { version: lakeVersion(this.#lake), at };
    const name = standingName(this.#lake.sqlite, at);
    const held = this.#standings.get(name);
    if (held !== undefined && isStillTrue(held, moment)) return held.standing;
    const standing = await this.#deps.readStanding(at, this.#requester(by));
    const version = this.#still(moment.version);
    this.#standings.set(name, { ...ALWAYS, version, standing }, STANDING_BYTES);
    return standing;
  }

  /** Null if the lake changed during the read. */
  #still(version: number): number | null {
    return lakeVersion(this.#lake) === version ? version : null;
  }

  #requester(by: Requester): PageRequester {
    const most = this.#deps.rowsHere / 10;
    return { ...by, isCheap: forecastsAtMost(this.#lake.sqlite, most + 1) <= most };
  }
}
