import { PLATFORM_PREFIXES, PLATFORMS } from '../../../schema/vocabulary.ts';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { markRestored, readMeta, removeMeta, writeMeta } from '../../lake/meta.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { theirPrefix } from '../../upstream/dialect.ts';
import { renameVideos } from '../writers/videos.ts';

/** Upstream words with which stored responses were loaded, as JSON. */
const WORDS = 'upstream_words';
/** Set while stored responses were loaded with different words. */
const MIXED = 'upstream_words_mixed';

const differing = (
  words: Readonly<Record<string, string>> | undefined,
  usual: (name: string) => string,
): [string, string][] =>
  Object.entries(words ?? {})
    .filter(([name, word]) => word !== usual(name))
    .sort();

/** Settings that decide how a response is loaded, as canonical JSON. */
const wordsOf = (settings: UpstreamSettings): string => {
  const { platforms, idPrefixes, lists, growth, engagementRate = 'percent' } = settings;
  const prefixes: Readonly<Record<string, string>> = PLATFORM_PREFIXES;
  return JSON.stringify([
    differing(platforms, (name) => name),
    differing(idPrefixes, (name) => prefixes[name] ?? ''),
    [lists?.items ?? null, lists?.total ?? null, growth?.items ?? null],
    engagementRate,
  ]);
};

const hasResponses = ({ sqlite }: Pick<Lake, 'sqlite'>): boolean =>
  prepare(sqlite, 'select 1 from responses limit 1', 'number').get() !== undefined;

const loadedWith = ({ sqlite }: Pick<Lake, 'sqlite'>): string =>
  readMeta(sqlite, WORDS) ?? wordsOf({});

/** Prepares the lake for responses in these words. Stored ones in other words make a replay due. */
export const adoptWords = (lake: Lake, settings: UpstreamSettings): void => {
  const words = wordsOf(settings);
  if (words === loadedWith(lake)) return;
  lake.sqlite
    .transaction(() => {
      if (hasResponses(lake)) writeMeta(lake.sqlite, MIXED, 'yes');
      writeMeta(lake.sqlite, WORDS, words);
      let renamed = 0;
      for (const platform of PLATFORMS) {
        const foreignPrefix = theirPrefix(platform, settings);
        const ownPrefix = `${PLATFORM_PREFIXES[platform]}_`;
        if (foreignPrefix !== ownPrefix)
          renamed += renameVideos(lake, { platform, theirs: foreignPrefix, ours: ownPrefix });
      }
      if (renamed === 0) return;
      markRestored(lake.sqlite); // exported files show the former ids
    })
    .immediate();
};

/** Notes that all stored responses were replayed with these words. */
export const noteReplayed = (lake: Lake, settings: UpstreamSettings): void => {
  writeMeta(lake.sqlite, WORDS, wordsOf(settings));
  removeMeta(lake.sqlite, MIXED);
};

/** True if stored responses were loaded with other words, so that units may be mixed. */
export const isReplayDue = (lake: Pick<Lake, 'sqlite'>, settings: UpstreamSettings): boolean =>
  hasResponses(lake) &&
  (readMeta(lake.sqlite, MIXED) !== undefined || loadedWith(lake) !== wordsOf(settings));
