import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { NICHES, type Niche, nichesOf } from './niches.ts';
import { RandomStream } from './random-stream.ts';

/** A temporary tag: it rises within days, stays, and fades. */
export interface TrendTag {
  readonly tag: string;
  readonly bornAt: number;
  readonly riseMs: number;
  readonly fadeMs: number;
  /** Share of the videos that carry it at its height. */
  readonly height: number;
  /** Undefined: people of every language use it. */
  readonly language: string | undefined;
}

/** A time in which a niche breaks out: others join in, with a separate tag. */
interface Breakout {
  readonly startAt: number;
  readonly fadeMs: number;
  readonly heat: number;
  readonly tag: string;
}

const PREFIXES =
  'silver moon velvet paper ghost lemon neon quiet giant tiny mirror cloud pixel tango honey winter sunday secret upside rubber cosmic denim marble echo paris grandma kitchen shadow bubble plot'.split(
    ' ',
  );
const SUFFIXES =
  'challenge walk core check day dance era trend switch drop glow test tok step'.split(' ');
const LOCAL_SUFFIX: Readonly<Record<string, string>> = {
  ko: '챌린지',
  ja: 'チャレンジ',
  zh: '挑戰',
  ru: 'челлендж',
  ar: '_تحدي',
  hi: 'चैलेंज',
  th: 'ชาเลนจ์',
};
const BREAKOUT_SUFFIXES = ['szn', 'tok2', 'takeover', 'club', 'mania', 'wave'];

const TREND_EVERY_MS = 12 * HOUR_MS;
const TREND_LIFE_MS = 30 * DAY_MS;
const BREAKOUT_EVERY_MS = 40 * DAY_MS;
const RISE_MS = 1.5 * DAY_MS;

/** Movements of the whole world: trend tags and niches that break out, by absolute time. */
export class Tides {
  readonly #seed: number;
  readonly #trends = new Map<number, TrendTag>();
  readonly #breakouts = new Map<number, Breakout | undefined>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Tags alive at `at` among people of `language`, each with the share of videos that carry it. */
  trends(language: string, at: number): { tag: string; share: number }[] {
    const alive: { tag: string; share: number }[] = [];
    const newest = Math.floor(at / TREND_EVERY_MS);
    for (let k = newest; k > newest - TREND_LIFE_MS / TREND_EVERY_MS; k--) {
      const trend = this.#trend(k);
      if (trend.language !== undefined && trend.language !== language) continue;
      const share = trend.height * tide(at - trend.bornAt, trend.riseMs, trend.fadeMs);
      if (share > 0.0005) alive.push({ tag: trend.tag, share });
    }
    return alive;
  }

  /** Factor of a niche's usual share at `at`; 1 on most days. */
  heat(niche: Niche, at: number): number {
    const breakout = this.#breakout(niche, Math.floor(at / BREAKOUT_EVERY_MS));
    if (breakout === undefined) return 1;
    return 1 + (breakout.heat - 1) * tide(at - breakout.startAt, RISE_MS, breakout.fadeMs);
  }

  /** Tag of a niche's breakout, while it lasts. */
  breakoutTag(niche: Niche, at: number): string | undefined {
    return this.heat(niche, at) > 1.5
      ? this.#breakout(niche, Math.floor(at / BREAKOUT_EVERY_MS))?.tag
      : undefined;
  }

  #trend(k: number): TrendTag {
    const known = this.#trends.get(k);
    if (known !== undefined) return known;
    const stream = new RandomStream(this.#seed, 1, k);
    const names = PREFIXES.length * SUFFIXES.length;
    const name = (((k * 389) % names) + names) % names; // every name once before any comes again
    const local = stream.chance(0.4) ? stream.pick(NICHES) : undefined;
    const trend: TrendTag = {
      tag:
        local === undefined
          ? `${PREFIXES[name % PREFIXES.length]}${SUFFIXES[Math.floor(name / PREFIXES.length)]}`
          : `${stream.pick(local.tags)}${LOCAL_SUFFIX[local.language] ?? 'challenge'}`,
      language: local?.language,
      bornAt: k * TREND_EVERY_MS + stream.between(0, TREND_EVERY_MS),
      riseMs: stream.between(0.8 * DAY_MS, 3.5 * DAY_MS),
      fadeMs: DAY_MS * stream.logNormal(4, 0.4),
      height: Math.min(0.12, stream.logNormal(0.015, 0.9)) * (local === undefined ? 1 : 2.5),
    };
    this.#trends.set(k, trend);
    return trend;
  }

  #breakout(niche: Niche, epoch: number): Breakout | undefined {
    const key = epoch * NICHES.length + NICHES.indexOf(niche);
    if (this.#breakouts.has(key)) return this.#breakouts.get(key);
    const stream = new RandomStream(this.#seed, 2, NICHES.indexOf(niche), epoch);
    const breakout = stream.chance(0.3)
      ? {
          startAt: epoch * BREAKOUT_EVERY_MS + stream.between(0, BREAKOUT_EVERY_MS - 14 * DAY_MS),
          fadeMs: DAY_MS * stream.between(2, 3.5), // gone before the epoch ends
          heat: stream.between(5, 12),
          tag: `${niche.tags[0]}${stream.pick(BREAKOUT_SUFFIXES)}`,
        }
      : undefined;
    this.#breakouts.set(key, breakout);
    return breakout;
  }

  /** A niche of this language for a video at `at`: mostly the creator's own, often a hot one. */
  nicheFor(own: Niche, at: number, stream: RandomStream): Niche {
    const niches = nichesOf(own.language);
    const chosen = stream.weighted(
      niches.map((niche) => {
        const heat = this.heat(niche, at);
        return niche === own ? OWN_NICHE_WEIGHT * heat : niche.weight * (heat - 0.95);
      }),
    );
    return niches[chosen] ?? own;
  }
}
const OWN_NICHE_WEIGHT = 40;

/** 0 before it starts, near 1 at its height, falling by half every `fadeMs` afterwards. */
const tide = (ageMs: number, riseMs: number, fadeMs: number): number => {
  if (ageMs <= 0) return 0;
  if (ageMs < riseMs) return (ageMs / riseMs) ** 2;
  return 2 ** (-(ageMs - riseMs) / fadeMs);
};
