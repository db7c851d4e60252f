import {
  PERIODS,
  type Period,
  PLATFORM_PREFIXES,
  type Platform,
} from '../../../schema/vocabulary.ts';
import { HOLDERS } from '../../base/wire/field-table.ts';
import { findArray } from '../../base/wire/find-array.ts';
import {
  periodCandidates,
  platformCandidates,
  platformNamed,
  rangeCandidates,
} from './candidates.ts';
import { fewItems, type ProbeResponse, type ProbeState, seenIn } from './probe-state.ts';
import { type ListAt, type ListedKind, listIn, prefixIn } from './shapes.ts';
import { sizeNameIn } from './size-messages.ts';

const MOST_TRIES = 6;
const USUAL_SIZE = 20;
/** Words that are tried for a period after one with an empty list. */
const MOST_EMPTY = 4;

/** The page that a probe reads of a list. */
export const FIRST_ITEMS = { limit: 5, page: 1, offset: 0 };

/** A word of the service for a period: its trends and where they were seen. */
interface PeriodWord {
  readonly word: string;
  readonly items: number | string;
  readonly evidence: string;
}

/** A feed of the probe: the word of its platform, and its list. */
export interface ProbedFeed {
  readonly platform: Platform;
  readonly word: string;
  readonly list: ListAt;
  readonly response: ProbeResponse;
}

/** Finds a list in a response, and keeps its path in the settings unless it is found without. */
const noteList = (
  state: ProbeState,
  { value }: ProbeResponse,
  kind: ListedKind,
): ListAt | undefined => {
  const found = listIn(value, kind);
  if (found === undefined || found.path === '' || found.list.length === 0) return found;
  const usual = findArray(value, HOLDERS.list);
  if (usual?.path === found.path) return found;
  const { items } = state.settings.lists ?? {};
  const known = items === undefined ? [] : typeof items === 'string' ? [items] : items;
  if (known.includes(found.path)) return found;
  const paths = [...known, found.path];
  state.settings.lists = {
    ...state.settings.lists,
    items: paths.length === 1 ? found.path : paths,
  };
  return found;
};

/** Asks once for what often names the words of a service: its OpenAPI document. */
const readDescription = async (state: ProbeState): Promise<string[]> => {
  const { status, text } = await state.get('/openapi.json');
  return status === 200 ? [text.slice(0, 200_000)] : [];
};

/** The word that messages name for a platform; undefined if they name none. */
const namedPlatform = (
  platform: Platform,
  messages: readonly string[],
  tried: readonly string[],
): string | undefined => {
  const word = platformCandidates(platform, messages, tried)[0];
  return word !== undefined && messages.some((text) => text.includes(word)) ? word : undefined;
};

/** Asks for a feed, with the usual query if the service requires one. */
const askFeed = async (state: ProbeState, word: string): Promise<ProbeResponse> => {
  const path = `/feed/${encodeURIComponent(word)}`;
  const usual = (): Record<string, number> =>
    state.sizeParameter === undefined ? {} : { [state.sizeParameter]: USUAL_SIZE };
  const bare = await state.get(path, state.isDemanding ? usual() : {});
  if (bare.status === 200 || state.isDemanding || !/required|missing/i.test(bare.text)) return bare;
  state.isDemanding = true;
  state.sizeParameter = sizeNameIn(bare.text) ?? state.sizeParameter;
  return state.get(path, usual());
};

/** Tries words for a platform until its feed has items; an empty feed counts if no word does better. */
const findFeed = async (
  state: ProbeState,
  platform: Platform,
  describe: () => Promise<readonly string[]>,
): Promise<{ feed: ProbedFeed | undefined; tried: readonly string[] }> => {
  const tried: string[] = [];
  let empty: ProbedFeed | undefined;
  const configured = state.settings.platforms?.[platform];
  while (tried.length < MOST_TRIES) {
    const messages = state.messagesOf('/feed');
    const named = namedPlatform(platform, messages, tried);
    const isGuessing = tried.length > 0 && named === undefined && empty === undefined;
    const texts = isGuessing ? [...messages, ...(await describe())] : messages;
    const candidates = platformCandidates(platform, texts, tried);
    const word = [configured ?? named ?? platform, ...candidates].find(
      (word) => !tried.includes(word),
    );
    if (word === undefined) break;
    tried.push(word);
    const response = await askFeed(state, word);
    if (response.status !== 200) continue;
    const list = noteList(state, response, 'videos');
    if (list === undefined) {
      state.refusals.push(response);
      if (/error|unknown|invalid|not found/i.test(response.text.slice(0, 300))) continue;
      break; // a list that is not found with any word
    }
    const feed = { platform, word, list, response };
    if (list.list.length > 0) return { feed, tried };
    empty ??= feed;
    if (tried.length > 1) break;
  }
  return { feed: empty, tried };
};

/** Finds the words of the platforms, by their feeds. */
export const probeFeeds = async (state: ProbeState): Promise<ProbedFeed[]> => {
  const feeds: ProbedFeed[] = [];
  let description: Promise<string[]> | undefined;
  const describe = (): Promise<string[]> => {
    description ??= readDescription(state);
    return description;
  };
  for (const platform of state.config.platforms) {
    const { feed, tried } = await findFeed(state, platform, describe);
    if (feed !== undefined) {
      noteFeed(state, feed);
      feeds.push(feed);
      continue;
    }
    const answered = state.refusals.find(
      ({ status, path }) => status === 200 && path.startsWith('/feed/'),
    );
    if (answered === undefined)
      state.fail(
        `platform ${platform}`,
        `Ask the operator for the name of ${platform} in /feed/{platform}.`,
        `tried ${tried.join(', ')}`,
      );
    else
      state.fail(
        `feed of ${platform}`,
        'Ask the operator where the list is in the response, and set lists.items.',
        seenIn(answered.path, answered),
      );
  }
  return feeds;
};

/** Keeps the word and the id prefix that a feed shows. */
const noteFeed = (state: ProbeState, { platform, word, list, response }: ProbedFeed): void => {
  const { settings } = state;
  if (word !== platform) settings.platforms = { ...settings.platforms, [platform]: word };
  state.note({
    part: `platform ${platform}`,
    found: word,
    certainty: list.list.length === 0 ? 'likely' : 'certain',
    evidence: `${seenIn(`/feed/${word}`, response)}, ${list.list.length} items`,
    setting: `platforms.${platform}`,
  });
  const ids = list.list.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const prefix = prefixIn(ids);
  if (prefix !== undefined) {
    if (prefix !== PLATFORM_PREFIXES[platform])
      settings.idPrefixes = { ...settings.idPrefixes, [platform]: prefix };
    state.note({
      part: `id prefix of ${platform}`,
      found: prefix === '' ? 'none' : prefix,
      certainty: ids.length < 3 ? 'likely' : 'certain',
      evidence: `${ids.length} ids, such as ${ids[0]}`,
      setting: `idPrefixes.${platform}`,
    });
  }
  const request = { kind: 'feed', platform, dateRange: '24h', ...FIRST_ITEMS } as const;
  const items = state.readable(request, response);
  if (typeof items === 'string')
    state.fail(`feed of ${platform}`, 'Ask the operator for the shape of an item.', items);
  const stated = list.list.find((item) => typeof item.platform === 'string')?.platform;
  const isOther =
    typeof stated === 'string' && stated !== word && platformNamed(stated) !== platform;
  if (isOther)
    state.fail(
      `platform in items of ${platform}`,
      `Ask the operator why items of ${word} have the platform ${stated}.`,
      `platform ${stated} in /feed/${word}`,
    );
};

/** Keeps the word of a period. */
const notePeriod = (
  state: ProbeState,
  period: Period,
  { word, items, evidence }: PeriodWord,
): void => {
  if (word !== period) state.settings.periods = { ...state.settings.periods, [period]: word };
  if (typeof items === 'string')
    state.fail(`trends of the ${period}`, 'Ask the operator for the shape of trends.', items);
  else
    state.note({
      part: `period ${period}`,
      found: word,
      certainty: items === 0 ? 'likely' : 'certain',
      evidence: `${evidence}, ${items} items`,
      setting: `periods.${period}`,
    });
};

/** Finds the words of the periods, by the trends of one platform. */
export const probePeriods = async (
  state: ProbeState,
  { platform, word: platformWord }: ProbedFeed,
): Promise<void> => {
  const like: Partial<Record<Period, string>> = {};
  for (const period of PERIODS) {
    const tried: string[] = [];
    let found: PeriodWord | undefined; // one with an empty list counts if no word does better
    const configured = state.settings.periods?.[period];
    while (tried.length < MOST_TRIES) {
      const candidates = periodCandidates(period, state.messagesOf('/trends'), { tried, like });
      const isLike = Object.keys(like).length > 0;
      const first = configured ?? (isLike ? undefined : period);
      const word = [...(first === undefined ? [] : [first]), ...candidates].find(
        (word) => !tried.includes(word),
      );
      if (word === undefined) break;
      tried.push(word);
      const path = `/trends/${encodeURIComponent(platformWord)}/${encodeURIComponent(word)}`;
      const response = await state.get(path, fewItems(state));
      if (response.status !== 200) continue;
      if (noteList(state, response, 'videos') === undefined) {
        state.refusals.push(response);
        continue;
      }
      const request = { kind: 'trends', platform, period, ...FIRST_ITEMS } as const;
      const items = state.readable(request, response);
      const isLast = items !== 0 || tried.length >= MOST_EMPTY;
      if (isLast || found === undefined) found = { word, items, evidence: seenIn(path, response) };
      if (isLast) break;
    }
    if (found !== undefined) {
      like[period] = found.word;
      notePeriod(state, period, found);
    } else
      state.fail(
        `period ${period}`,
        `Ask the operator for the name of the ${period} in /trends/{platform}/{period}.`,
        `tried ${tried.join(', ')}`,
      );
  }
};

/** Keeps the word of a time window. */
export const noteRange = (
  state: ProbeState,
  range: string,
  word: string,
  evidence: string,
): void => {
  if (word !== range) state.settings.dateRanges = { ...state.settings.dateRanges, [range]: word };
  state.note({
    part: `time window ${range}`,
    found: word,
    certainty: 'likely', // a service can also ignore it
    evidence,
    setting: `dateRanges.${range}`,
  });
};

/** Finds the list of hashtags and the word of its time window. */
export const probeHashtags = async (state: ProbeState): Promise<void> => {
  const range = state.config.hashtagRange;
  const tried: string[] = [];
  const configured = state.settings.dateRanges?.[range];
  while (tried.length < MOST_TRIES) {
    const messages = [...state.messagesOf('/hashtags'), ...state.messagesOf('/feed')];
    const candidates = rangeCandidates(range, messages, tried);
    const word = [configured ?? range, ...candidates].find(
      (candidate) => !tried.includes(candidate),
    );
    if (word === undefined) break;
    tried.push(word);
    const response = await state.get('/hashtags', { dateRange: word, ...fewItems(state) });
    if (response.status === 404) break;
    if (response.status !== 200) continue;
    const list = noteList(state, response, 'hashtags');
    const request = { kind: 'hashtags', dateRange: range, ...FIRST_ITEMS } as const;
    const items = list === undefined ? 'no list was found' : state.readable(request, response);
    if (typeof items === 'string') {
      state.fail('hashtags', 'Ask the operator where the list of hashtags is.', items);
      return;
    }
    noteRange(state, range, word, `${seenIn('/hashtags', response)}, ${items} hashtags`);
    return;
  }
  state.fail(
    'hashtags',
    `Ask the operator how /hashtags takes a time window of ${range}.`,
    `tried ${tried.join(', ')}`,
  );
};
