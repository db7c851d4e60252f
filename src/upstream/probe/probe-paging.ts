import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { isAddress, nextCursor, nextLink } from '../dialect.ts';
import { noteLargest, type ProbedPages } from './probe-size.ts';
import { type ProbeState, videosIn } from './probe-state.ts';
import { cursorsIn, listIn } from './shapes.ts';

type Paging = NonNullable<UpstreamSettings['paging']>;
type Parameters = Readonly<Record<string, string | number>>;

/** A way to ask for the page after the short one. */
interface PagingGuess {
  readonly parameters: Parameters;
  /** The settings, by the position in the list at which the page began; others mean a wrong guess. */
  readonly meanings: ReadonlyMap<number, Paging>;
}

const named = (parameter: string, usual: string): Pick<Paging, 'parameter'> =>
  parameter === usual ? {} : { parameter };

const pageGuess = (parameter: string, size: number, page = 2): PagingGuess => ({
  parameters: { [parameter]: page },
  meanings: new Map<number, Paging>([
    [page * size, { ...named(parameter, 'page'), first: 0 }],
    [(page - 1) * size, named(parameter, 'page')],
  ]),
});

const offsetGuess = (parameter: string, offset: number): PagingGuess => {
  const paging = { style: 'offset', ...named(parameter, 'offset') } as const;
  return {
    parameters: { [parameter]: offset },
    meanings: new Map<number, Paging>([
      [offset, paging],
      [offset - 1, { ...paging, first: 1 }],
    ]),
  };
};

const cursorGuess = (
  parameter: string,
  value: string,
  { path, size }: { path: string; size: number },
): PagingGuess => ({
  parameters: { [parameter]: value },
  meanings: new Map([[size, { style: 'cursor', ...named(parameter, 'cursor'), cursor: path }]]),
});

const OFFSET_NAMES = ['offset', 'skip', 'start', 'from', 'startIndex', 'start_index'];
const PAGE_NAMES = ['p', 'pageNumber', 'page_number', 'pageIndex', 'page_index', 'pg'];
const CURSOR_NAMES = ['cursor', 'next', 'after', 'pageToken', 'page_token', 'token'];
/** Tries of one name after the other, where several together are refused. */
const MOST_SINGLE = 3;

/** Names of the query parameter for a cursor at a path, likeliest first. */
const cursorNames = (path: string): string[] => {
  const key = path.slice(path.lastIndexOf('.') + 1);
  const bare = key.replace(/^next[-_]?/i, '');
  const plain = bare === '' ? [] : [bare.charAt(0).toLowerCase() + bare.slice(1)];
  return [...new Set([...plain, ...CURSOR_NAMES, key])];
};

/** Guesses from an address of the next page: its parameters that the request did not have. */
const addressGuesses = (address: string, path: string, pages: ProbedPages): PagingGuess[] => {
  const size = pages.short.list.length;
  const query = URL.parse(address, 'http://localhost')?.searchParams ?? new URLSearchParams();
  return [...query]
    .filter(([name]) => name !== pages.sizeParameter && !Object.hasOwn(pages.query, name))
    .map(([name, value]) => {
      if (!/^\d+$/.test(value)) return cursorGuess(name, value, { path, size });
      const number = Number(value);
      return number <= 2 ? pageGuess(name, size, number) : offsetGuess(name, number);
    });
};

/** Guesses from what the short page says of the next one. */
const statedGuesses = (pages: ProbedPages): PagingGuess[] => {
  const { shortResponse, short } = pages;
  const size = short.list.length;
  const link = nextLink(shortResponse.raw.headers);
  const cursors = cursorsIn(shortResponse.value);
  return [
    ...(link === undefined ? [] : addressGuesses(link, 'Link', pages)),
    ...cursors.flatMap(([path, value]) => {
      if (isAddress(value)) return addressGuesses(value, path, pages);
      if (/^\d{1,6}$/.test(value))
        return Number(value) === size ? [offsetGuess('offset', size)] : [];
      return cursorNames(path).map((name) => cursorGuess(name, value, { path, size }));
    }),
  ];
};

const identityOf = (item: JsonObject | undefined): unknown => item?.id ?? item?.tag ?? item?.name;

/** Asks for pages of a list, and says where in the list they begin. */
class PageLocator {
  readonly #state: ProbeState;
  readonly #pages: ProbedPages;
  /** Parameters that were sent before. */
  readonly #sent = new Set<string>();

  constructor(state: ProbeState, pages: ProbedPages) {
    this.#state = state;
    this.#pages = pages;
  }

  /** Position of the page's first item; -1 if it is not in the list, undefined without a page. */
  async locate(parameters: Parameters): Promise<number | undefined> {
    const { path, query, sizeParameter, short, long } = this.#pages;
    const key = JSON.stringify(parameters);
    if (this.#sent.has(key)) return undefined;
    this.#sent.add(key);
    const size = sizeParameter === undefined ? {} : { [sizeParameter]: short.list.length };
    const response = await this.#state.get(path, { ...query, ...size, ...parameters });
    const [first] = videosIn(response)?.list ?? [];
    if (first === undefined) return undefined;
    return long.list.findIndex((item) => identityOf(item) === identityOf(first));
  }

  async first(guesses: readonly PagingGuess[]): Promise<Paging | undefined> {
    for (const { parameters, meanings } of guesses) {
      const position = await this.locate(parameters);
      const paging = position === undefined ? undefined : meanings.get(position);
      if (paging !== undefined) return paging;
    }
    return undefined;
  }

  /** Tries several names in one call: each would begin the page at another position. */
  async together(guesses: readonly PagingGuess[]): Promise<Paging | undefined> {
    const all = Object.assign({}, ...guesses.map(({ parameters }) => parameters)) as Parameters;
    const position = this.#state.isStrict ? undefined : await this.locate(all);
    if (position === undefined) {
      this.#state.isStrict = true;
      return this.first(guesses.slice(0, MOST_SINGLE));
    }
    return guesses.find(({ meanings }) => meanings.has(position))?.meanings.get(position);
  }
}

const findPaging = async (state: ProbeState, pages: ProbedPages): Promise<Paging | undefined> => {
  const size = pages.short.list.length;
  const length = pages.long.list.length;
  const locator = new PageLocator(state, pages);
  const offsets = OFFSET_NAMES.map((name, index) => offsetGuess(name, size + 1 + 2 * index));
  const numbers = PAGE_NAMES.map((name, index) => pageGuess(name, size, 2 + 2 * index));
  const fits = ({ parameters }: PagingGuess, times: number): boolean =>
    Number(Object.values(parameters)[0]) * times < length;
  return (
    (await locator.first(statedGuesses(pages))) ??
    (await locator.first([pageGuess('page', size)])) ??
    (await locator.together(offsets.filter((guess) => fits(guess, 1)))) ??
    (await locator.together(numbers.filter((guess) => fits(guess, size))))
  );
};

/** Without a total, a page that is not full is the last one, or as long as any: asks for the next one. */
const checkLargest = async (
  state: ProbeState,
  pages: ProbedPages,
  paging: Paging,
  asked: number,
): Promise<void> => {
  const length = pages.long.list.length;
  const { style = 'page', parameter = style, first } = paging;
  const size = { [pages.sizeParameter ?? 'limit']: asked };
  let isMore: boolean;
  if (style === 'cursor')
    isMore =
      typeof nextCursor(pages.longResponse.value, pages.longResponse.raw.headers, { paging }) ===
      'string';
  else {
    const next = style === 'offset' ? (first ?? 0) + length : (first ?? 1) + 1;
    const query = { ...pages.query, ...size, [parameter]: next };
    const response = await state.get(pages.path, query);
    isMore = (listIn(response.value, 'videos')?.list.length ?? 0) > 0;
  }
  if (isMore)
    noteLargest(state, length, `more items follow a page of ${length}, of ${asked} asked for`);
};

/** Finds how the pages of a list are selected. */
export const probePaging = async (state: ProbeState, pages: ProbedPages): Promise<void> => {
  const length = pages.long.list.length;
  const size = pages.short.list.length;
  if (length <= size) {
    state.note({
      part: 'paging',
      found: `unknown. The feed has ${length} items; probe again when it is longer.`,
      certainty: 'unknown',
      evidence: `${length} items`,
      setting: 'paging.style',
    });
    return;
  }
  const paging = await findPaging(state, pages);
  if (paging === undefined) {
    state.fail(
      'paging',
      'Ask the operator how the second page of a list is asked for.',
      'page, offset and cursor parameters gave the first page again',
    );
    return;
  }
  const { settings } = state;
  const { sizeParameter, largest } = settings.paging ?? {};
  settings.paging = {
    ...paging,
    ...(sizeParameter === undefined ? {} : { sizeParameter }),
    ...(largest === undefined ? {} : { largest }),
  };
  const { style = 'page', parameter = style, first } = paging;
  state.note({
    part: 'paging',
    found: `${style}: ${parameter}${first === undefined ? '' : ` from ${first}`}${paging.cursor === undefined ? '' : `, next at ${paging.cursor}`}`,
    certainty: 'certain',
    evidence: `GET ${pages.path}: the next page continues the list`,
    setting: 'paging.style',
  });
  if (pages.total === undefined && largest === undefined && length < pages.asked)
    await checkLargest(state, pages, paging, pages.asked);
};
