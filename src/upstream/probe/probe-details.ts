import { HOLDERS } from '../../base/wire/field-table.ts';
import { findArray } from '../../base/wire/find-array.ts';
import { fewItems, type ProbeState, seenIn } from './probe-state.ts';
import { FIRST_ITEMS, type ProbedFeed } from './probe-words.ts';
import { listIn, rateUnit } from './shapes.ts';

/** Compares the rate of items with their likes and views. */
export const probeRate = (state: ProbeState, feeds: readonly ProbedFeed[]): void => {
  const unit = rateUnit(feeds.flatMap(({ list }) => list.list));
  const part = 'unit of engagementRate';
  if (unit === undefined) {
    const found = 'unknown. Ask the operator whether it is percent or a fraction.';
    const evidence = 'no item has a rate, likes and views';
    state.note({ part, found, certainty: 'unknown', evidence, setting: 'engagementRate' });
    return;
  }
  const evidence = `rate = ${Number(unit.factor.toPrecision(3))} x likes / views, median of ${unit.items} items`;
  if (unit.unit === 'other') {
    state.fail(part, 'Ask the operator how engagementRate is computed.', evidence);
    return;
  }
  if (unit.unit === 'fraction') state.settings.engagementRate = 'fraction';
  else delete state.settings.engagementRate;
  const certainty = unit.isTight ? 'certain' : 'likely';
  state.note({ part, found: unit.unit, certainty, evidence, setting: 'engagementRate' });
};

/** Finds the timeline of a video. */
export const probeGrowth = async (state: ProbeState, feed: ProbedFeed): Promise<void> => {
  const id = feed.list.list.find((item) => typeof item.id === 'string')?.id;
  if (typeof id !== 'string') return;
  const path = `/videos/${encodeURIComponent(id)}/growth`;
  const response = await state.get(path);
  const part = 'growth timeline';
  if (response.status !== 200) {
    const found = 'unknown. Ask the operator whether the key may read timelines.';
    state.note({ part, found, certainty: 'unknown', evidence: seenIn(path, response) });
    return;
  }
  const list = listIn(response.value, 'points');
  const usual = findArray(response.value, HOLDERS.timeline);
  if (list !== undefined && list.path !== '' && usual?.path !== list.path)
    state.settings.growth = { items: list.path };
  const request = { kind: 'growth', id, platform: feed.platform } as const;
  const points = state.readable(request, response);
  if (typeof points === 'string') state.fail(part, 'Ask the operator for its shape.', points);
  else
    state.note({
      part,
      found: `${list?.path || usual?.path || 'a bare list'}: ${points} points`,
      certainty: points === 0 ? 'likely' : 'certain',
      evidence: seenIn(path, response),
      setting: 'growth.items',
    });
};

/** Reads a creator and a search, which have no settings. */
export const probeOthers = async (state: ProbeState, feed: ProbedFeed): Promise<void> => {
  const { platform, word, list } = feed;
  const named = list.list.find(({ user, title }) => user !== '' && typeof title === 'string');
  const { user, title } = named ?? {};
  if (typeof user === 'string') {
    const path = `/creators/${encodeURIComponent(word)}/${encodeURIComponent(user)}`;
    const response = await state.get(path);
    const request = { kind: 'creator', platform, handle: user } as const;
    noteOther(state, 'creator profile', seenIn(path, response), state.readable(request, response));
  }
  const q = typeof title === 'string' ? (title.match(/\p{L}{3,}/u)?.[0] ?? 'a') : 'a';
  const response = await state.get('/search', { q, ...fewItems(state) });
  const request = { kind: 'search', q, ...FIRST_ITEMS } as const;
  noteOther(state, 'search', seenIn('/search', response), state.readable(request, response));
};

const noteOther = (
  state: ProbeState,
  part: string,
  evidence: string,
  items: number | string,
): void =>
  state.note(
    typeof items === 'string'
      ? { part, found: `cannot be read: ${items}`, certainty: 'unknown', evidence }
      : { part, found: `readable, ${items} videos`, certainty: 'certain', evidence },
  );

/** Notes what responses so far show of errors, limits, caching and compression. */
export const noteTransport = (state: ProbeState): void => {
  const seen = [...state.answers, ...state.refusals].map(({ raw }) => raw.headers);
  const names = [...new Set(seen.flatMap((headers) => Object.keys(headers)))];
  const [refusal] = state.refusals;
  const note = (part: string, found: readonly string[], evidence: string): void =>
    state.note({
      part,
      found: found.join(', ') || 'none seen',
      certainty: found.length === 0 ? 'unknown' : 'certain',
      evidence,
    });
  if (refusal === undefined) note('error body', [], 'no call was refused');
  else {
    const type = refusal.raw.headers['content-type'] ?? 'no content type';
    note('error body', [`${type}: ${refusal.text.slice(0, 120)}`], `status ${refusal.status}`);
  }
  const found = (header: RegExp): string[] => names.filter((name) => header.test(name));
  note('headers of limits', found(/rate-?limit|quota|remaining/i), 'all responses');
  note('caching', found(/^(etag|last-modified)$/), 'all responses');
  const encodings = seen.flatMap((headers) => headers['content-encoding'] ?? []);
  note('compression', [...new Set(encodings)], 'all responses');
};

/** Asks for an error and for a HEAD, which no list needs. */
export const probeExtras = async (state: ProbeState, feed: ProbedFeed): Promise<void> => {
  if (state.refusals.length === 0) await state.get('/feed/trendlake-probe');
  const { status } = await state.get(`/feed/${encodeURIComponent(feed.word)}`, {}, 'HEAD');
  const found = status === 200 ? 'works' : `status ${status}`;
  state.note({ part: 'HEAD', found, certainty: 'certain', evidence: `HEAD /feed/${feed.word}` });
};
