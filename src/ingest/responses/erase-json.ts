import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { ERASED_MARK } from '../../base/wire/erased-mark.ts';
import { FIELDS } from '../../base/wire/field-table.ts';
import { platformOfId } from '../../base/wire/fields.ts';
import type { SubjectSet } from '../../lake/erased.ts';
import { ourFields } from '../../upstream/dialect.ts';

/** Erased subjects, and the words in which a JSON text names them. */
export interface ErasedWords {
  readonly subjects: SubjectSet;
  /** Platform of objects that state none. */
  readonly platform?: Platform;
  readonly upstream?: UpstreamSettings;
}

const ID_NAMES: readonly string[] = FIELDS.eventSubject['trend.spike'].names;
const HANDLE_NAMES = [
  ...new Set([...FIELDS.creator.handle.names, ...FIELDS.eventSubject['creator.viral'].names]),
];
const ID = /^(tt|ig|yt)_\S{1,125}$/;

const textsUnder = (object: JsonObject, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    return typeof value === 'string' && value !== '' ? [value] : [];
  });

/** True of an object about an erased video or creator. */
const isErasedObject = (
  raw: JsonObject,
  { subjects, platform: asked, upstream = {} }: ErasedWords,
): boolean => {
  const object = ourFields(raw, { settings: upstream, platform: asked }) as JsonObject;
  const ids = textsUnder(object, ID_NAMES);
  if (ids.some((id) => subjects.has({ kind: 'video', id }))) return true;
  const [title] = ids.length === 0 ? textsUnder(object, FIELDS.item.title.names) : [];
  if (title !== undefined && subjects.has({ kind: 'title', title })) return true;
  const handles = textsUnder(object, HANDLE_NAMES);
  if (handles.length === 0) return false;
  const stated = PLATFORMS.find((name) => name === object.platform);
  const platform = stated ?? ids.map(platformOfId).find((name) => name !== undefined) ?? asked;
  return handles.some((handle) =>
    (platform === undefined ? PLATFORMS : [platform]).some((name) =>
      subjects.has({ kind: 'creator', platform: name, handle }),
    ),
  );
};

/** `JSON.rawJSON` of Node 22 and later, which TypeScript does not know yet. */
const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };

/**
 * Removes erased subjects from a JSON text. Objects about them become `ERASED_MARK`, their ids
 * elsewhere become null. Numbers keep their digits.
 * @returns the new text, and the number of places that changed; 0: the text is unchanged
 * @throws SyntaxError if it is not JSON
 */
export const eraseJson = (text: string, words: ErasedWords): { text: string; erased: number } => {
  if (words.subjects.isEmpty) return { text, erased: 0 };
  let erased = 0;
  const revive = (name: string, value: unknown, { source }: { source?: string }): unknown => {
    if (typeof value === 'number')
      return source === undefined || String(value) === source ? value : rawJSON(source);
    // an id goes with the object that it names, which is revived after it
    const isMention = typeof value === 'string' && ID.test(value) && !ID_NAMES.includes(name);
    const isErased = isObject(value)
      ? isErasedObject(value, words)
      : isMention && words.subjects.has({ kind: 'video', id: value });
    if (!isErased) return value;
    erased += 1;
    return isObject(value) ? ERASED_MARK : null;
  };
  const value: unknown = JSON.parse(text, revive as (key: string, value: unknown) => unknown);
  return erased === 0 ? { text, erased } : { text: JSON.stringify(value), erased };
};

/** `eraseJson` for a value. */
export const eraseValue = (value: unknown, words: ErasedWords): unknown => {
  if (words.subjects.isEmpty || value === undefined) return value;
  const { text, erased } = eraseJson(JSON.stringify(value), words);
  return erased === 0 ? value : JSON.parse(text);
};

const TOKENS = new RegExp(
  `((?:tt|ig|yt)_[\\w.-]{1,125})|"(?:${HANDLE_NAMES.join('|')})"\\s*:\\s*"([^"\\\\]+)"`,
  'g',
);

/** True of a cut or garbled text that names an erased subject. */
const namesErased = (text: string, { subjects }: ErasedWords): boolean =>
  [...text.matchAll(TOKENS)].some(([, id, handle = '']) =>
    id === undefined
      ? PLATFORMS.some((platform) => subjects.has({ kind: 'creator', platform, handle }))
      : subjects.has({ kind: 'video', id }),
  );

/**
 * `eraseJson` for a text that may be cut or no JSON at all. Such a text goes whole if it names an erased
 * subject.
 */
export const erasedText = (text: string, words: ErasedWords): string => {
  try {
    return eraseJson(text, words).text;
  } catch {
    return namesErased(text, words) ? JSON.stringify(ERASED_MARK) : text;
  }
};
