import { HOLDERS } from '../../base/wire/field-table.ts';
import { findArray } from '../../base/wire/find-array.ts';
import { rangeCandidates } from './candidates.ts';
import { type ProbeResponse, type ProbeState, seenIn, videosIn } from './probe-state.ts';
import { noteRange, type ProbedFeed } from './probe-words.ts';
import { type ListAt, totalPaths } from './shapes.ts';
import { blameIn, largestIn, SIZE_NAMES, sizeNameIn } from './size-messages.ts';

/** Two pages of one list: as long as can be, and short. */
export interface ProbedPages {
  readonly path: string;
  /** Query of both pages without their size. */
  readonly query: Readonly<Record<string, string>>;
  readonly sizeParameter: string | undefined;
  readonly long: ListAt;
  readonly short: ListAt;
  readonly shortResponse: ProbeResponse;
  readonly longResponse: ProbeResponse;
  /** Size that the long page was asked for. */
  readonly asked: number;
  readonly total: number | undefined;
}

const SIZES = [100, 50, 25, 20, 10];
const SHORT = 3;
/** Some services have a smallest page. */
const LESS_SHORT = 10;
const MOST_TRIES = 9;

interface LongPage {
  readonly list: ListAt;
  readonly response: ProbeResponse;
  readonly size: number;
  readonly isRefused: boolean;
}

/** Asks for one list until a page comes, with what its refusals taught. */
class PageSearch {
  readonly #state: ProbeState;
  readonly #path: string;
  readonly #range: string;
  #rangeWord: string | undefined;
  readonly #triedRanges: string[] = [];
  readonly #refused: string[] = [];
  sizeParameter: string | undefined;

  constructor(state: ProbeState, feed: ProbedFeed) {
    this.#state = state;
    this.#path = `/feed/${encodeURIComponent(feed.word)}`;
    this.#range = state.config.feedRange;
    this.#rangeWord = state.settings.dateRanges?.[this.#range] ?? this.#range;
    this.sizeParameter = state.sizeParameter;
  }

  get query(): Record<string, string> {
    return this.#rangeWord === undefined ? {} : { dateRange: this.#rangeWord };
  }

  ask(parameters: Readonly<Record<string, string | number>>): Promise<ProbeResponse> {
    return this.#state.get(this.#path, { ...this.query, ...parameters });
  }

  #nextRange(): void {
    if (this.#rangeWord !== undefined) this.#triedRanges.push(this.#rangeWord);
    const messages = this.#state.messagesOf('/feed');
    this.#rangeWord = rangeCandidates(this.#range, messages, this.#triedRanges)[0];
  }

  #refuseSizeParameter(): void {
    this.#refused.push(this.sizeParameter ?? '');
    this.sizeParameter = undefined;
    this.#state.isStrict = true;
  }

  /** The longest page; undefined if nothing was answered. */
  async long(): Promise<LongPage | undefined> {
    let sizes = SIZES;
    let isRefused = false;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const [size = 10] = sizes;
      const name = this.sizeParameter;
      const response = await this.ask(name === undefined ? {} : { [name]: size });
      const list = videosIn(response);
      if (list !== undefined) {
        if (this.#rangeWord !== undefined)
          noteRange(this.#state, this.#range, this.#rangeWord, seenIn(this.#path, response));
        return { list, response, size, isRefused };
      }
      const named = sizeNameIn(response.text);
      if (named !== undefined && named !== name && !this.#refused.includes(named)) {
        this.sizeParameter = named;
        continue;
      }
      const blame = blameIn(response.text, name ?? '');
      if (blame === 'parameter') this.#refuseSizeParameter();
      else if (blame === 'range') this.#nextRange();
      else if (blame === 'size') {
        const most = largestIn(response.text);
        sizes = most !== undefined && most < size ? [most, ...sizes] : sizes.slice(1);
        isRefused = true;
      } else if (isRefused) sizes = sizes.slice(1);
      else if (name !== undefined && (await this.ask({ [name]: LESS_SHORT })).status === 200) {
        sizes = sizes.slice(1); // a mute refusal of the size
        isRefused = true;
      } else if (name !== undefined && (await this.ask({})).status === 200)
        this.#refuseSizeParameter();
      else this.#nextRange();
    }
    return undefined;
  }

  /** Finds the parameter of the page size. Each name gets another size, so the length of the page names it. */
  async findSizeParameter(usual: number, longest: number): Promise<string | undefined> {
    const known = [...this.#refused, this.sizeParameter];
    const names = SIZE_NAMES.filter((name) => !known.includes(name));
    const least = longest > LESS_SHORT + names.length ? LESS_SHORT : SHORT;
    const sizes = names.map((name, index) => [name, index + least] as const);
    const together = this.#state.isStrict ? undefined : await this.ask(Object.fromEntries(sizes));
    if (together?.status === 200) {
      const length = videosIn(together)?.list.length;
      const heard = sizes.find(([, size]) => size === length && size !== usual && size < longest);
      return heard?.[0];
    }
    const named = sizeNameIn(together?.text ?? '');
    if (named !== undefined) return named;
    this.#state.isStrict = true;
    const size = least === usual ? least + 1 : least;
    for (const name of names.slice(0, MOST_TRIES)) {
      const reply = await this.ask({ [name]: size });
      const isRefusedForSize = sizeNameIn(reply.text) === name;
      if (isRefusedForSize || videosIn(reply)?.list.length === size) return name;
    }
    return undefined;
  }

  noteRangeIfRefused(): void {
    if (this.#rangeWord === undefined)
      this.#state.fail(
        `time window ${this.#range}`,
        `Ask the operator how /feed takes a time window of ${this.#range}.`,
        `tried ${this.#triedRanges.join(', ')}`,
      );
  }
}

/** Keeps the path of the total, unless it is found without. */
const noteTotal = (
  state: ProbeState,
  long: { value: unknown; length: number },
  short: { value: unknown; length: number },
): number | undefined => {
  const [path] = totalPaths(long, short);
  if (path === undefined) {
    state.note({
      part: 'total of a list',
      found: 'none; pages are read until one is not full',
      certainty: 'likely',
      evidence: 'no number is equal in two pages',
    });
    return undefined;
  }
  const { settings } = state;
  const usual = findArray(long.value, HOLDERS.list);
  const holder = usual?.path.includes('.') ? usual.path.replace(/[^.]+$/, 'total') : 'total';
  if (path !== 'total' && path !== holder) settings.lists = { ...settings.lists, total: path };
  const total = Number(
    path.split('.').reduce<unknown>((inner, name) => (inner as never)[name], long.value),
  );
  state.note({
    part: 'total of a list',
    found: `${path}: ${total}`,
    certainty: 'certain',
    evidence: `equal on pages of ${long.length} and ${short.length} items`,
    setting: 'lists.total',
  });
  return total;
};

interface ShortPage {
  readonly response: ProbeResponse;
  readonly list: ListAt | undefined;
  readonly size: number;
}

const lengthOf = ({ list }: ListAt): number => list.length;

/** Finds window, size parameter and longest page of a feed; undefined if no page was answered. */
export const probePages = async (
  state: ProbeState,
  feed: ProbedFeed,
): Promise<ProbedPages | undefined> => {
  const search = new PageSearch(state, feed);
  const usual = lengthOf(feed.list);
  const fail = (): undefined => {
    search.noteRangeIfRefused();
    state.fail('feed', 'Ask the operator for the query parameters of /feed.', 'no page came');
    return undefined;
  };
  let long = await search.long();
  if (long === undefined) return fail();
  const askShort = async (size = SHORT): Promise<ShortPage> => {
    const { sizeParameter } = search;
    const response = await search.ask(sizeParameter === undefined ? {} : { [sizeParameter]: size });
    const list = videosIn(response);
    return list === undefined && size < LESS_SHORT
      ? askShort(LESS_SHORT)
      : { response, list, size };
  };
  let short = search.sizeParameter === undefined ? undefined : await askShort();
  const isIgnored = short?.list !== undefined && lengthOf(short.list) !== short.size;
  const isTooShort = lengthOf(long.list) <= SHORT;
  if (!isTooShort && (short === undefined || isIgnored)) {
    search.sizeParameter = await search.findSizeParameter(usual, lengthOf(long.list));
    if (search.sizeParameter !== undefined) long = (await search.long()) ?? long;
    short = await askShort();
  }
  const { sizeParameter, query } = search;
  state.sizeParameter = sizeParameter;
  state.smallest = Math.max(state.smallest, short?.size ?? 0);
  const shortList = short?.list ?? long.list;
  const length = lengthOf(long.list);
  const total = noteTotal(
    state,
    { value: long.response.value, length },
    { value: short?.response.value, length: lengthOf(shortList) },
  );
  const isCut = length < long.size && total !== undefined && total > length;
  const largest = long.isRefused ? long.size : isCut ? length : undefined;
  const pages = {
    path: `/feed/${encodeURIComponent(feed.word)}`,
    query,
    sizeParameter,
    long: long.list,
    short: shortList,
    shortResponse: short?.response ?? long.response,
    longResponse: long.response,
    asked: long.size,
    total,
  };
  noteSize(state, pages, largest);
  return pages;
};

/** Keeps the parameter and the largest page. */
export const noteLargest = (state: ProbeState, largest: number, evidence: string): void => {
  state.settings.paging = { ...state.settings.paging, largest };
  state.note({
    part: 'largest page',
    found: `${largest} items`,
    certainty: 'certain',
    evidence,
    setting: 'paging.largest',
  });
};

const noteSize = (
  state: ProbeState,
  { sizeParameter, long, path }: ProbedPages,
  largest: number | undefined,
): void => {
  const { settings } = state;
  const length = lengthOf(long);
  const isTooShort = length <= SHORT;
  if (sizeParameter !== undefined && sizeParameter !== 'limit')
    settings.paging = { ...settings.paging, sizeParameter };
  const isKnown = sizeParameter !== undefined && !isTooShort;
  state.note({
    part: 'page size',
    found: isKnown
      ? sizeParameter
      : 'unknown. Ask the operator for the parameter of the page size.',
    certainty: isKnown ? 'certain' : 'unknown',
    evidence: isKnown ? `${path} gave ${SHORT} items when asked` : `${length} items`,
    setting: 'paging.sizeParameter',
  });
  if (sizeParameter === undefined && largest === undefined && !isTooShort)
    noteLargest(state, length, 'each page has as many, whatever was asked');
  else if (largest !== undefined) noteLargest(state, largest, `${path} gave no more`);
};
