import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { ERASED_MARK } from '../../base/wire/erased-mark.ts';
import { platformOfId } from '../../base/wire/fields.ts';
import { type ErasedSubjects, erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import type { RawResponse } from '../../upstream/client.ts';
import type { DecodedResponse } from '../../upstream/decode/decode.ts';
import type { UpstreamRequest } from '../../upstream/request.ts';
import { type ErasedWords, erasedText, eraseValue } from './erase-json.ts';

/** A response without erased subjects; `body` is rewritten. */
interface ErasedContent {
  readonly decoded: DecodedResponse;
  readonly body: Buffer | undefined;
}

interface ArrivedResponse {
  readonly request: UpstreamRequest;
  readonly decoded: DecodedResponse;
  readonly response?: RawResponse;
  readonly upstream?: UpstreamSettings;
}

/** True if a whole response is about an erased video or creator. */
const isAboutErased = (
  { request, decoded }: Pick<ArrivedResponse, 'request' | 'decoded'>,
  subjects: ErasedSubjects,
): boolean => {
  if (request.kind === 'growth' || request.kind === 'analyze')
    return subjects.drops({ kind: 'video', id: request.id });
  return (
    request.kind === 'creator' &&
    [request.handle, ...(decoded.kind === 'creator' ? [decoded.profile.handle] : [])].some(
      (handle) => subjects.drops({ kind: 'creator', platform: request.platform, handle }),
    )
  );
};

/** Erased words of a response, with the requested platform. */
const erasedWordsOf = (
  subjects: ErasedSubjects,
  request: UpstreamRequest,
  upstream: UpstreamSettings,
): ErasedWords => {
  const platform =
    'platform' in request
      ? request.platform
      : 'id' in request
        ? platformOfId(request.id)
        : undefined;
  return { subjects, upstream, ...(platform === undefined ? {} : { platform }) };
};

/** A body without erased subjects; the same bytes if it holds no such subject or no JSON. */
export const erasedBody = (body: Buffer, words: ErasedWords): Buffer => {
  const text = body.toString('utf8');
  const clean = erasedText(text, words);
  return clean === text ? body : Buffer.from(clean);
};

const itemsOf = (decoded: DecodedResponse): number =>
  'items' in decoded ? decoded.items.length : 0;

const withoutItems = (decoded: DecodedResponse, subjects: ErasedSubjects): DecodedResponse => {
  if (decoded.kind === 'videos')
    return { ...decoded, items: decoded.items.filter(({ item }) => !subjects.dropsVideo(item)) };
  if (decoded.kind === 'creator')
    return { ...decoded, items: decoded.items.filter((item) => !subjects.dropsVideo(item)) };
  return decoded;
};

/**
 * Drops erased videos and creators of a response and counts them. Call it in the loading transaction.
 * @returns undefined if the whole response is about an erased subject
 */
export const withoutErased = (
  lake: Lake,
  { request, decoded, response, upstream = {} }: ArrivedResponse,
): ErasedContent | undefined => {
  const subjects = erasedOf(lake);
  const body = response?.body;
  if (subjects.isEmpty) return { decoded, body };
  if (isAboutErased({ request, decoded }, subjects)) return undefined;
  const words = erasedWordsOf(subjects, request, upstream);
  const { rejected, drift } = decoded;
  const kept = withoutItems(decoded, subjects);
  // a sample does not show its item, which may be a dropped one
  const hidesSamples = itemsOf(kept) < itemsOf(decoded);
  const clean = {
    ...kept,
    rejected: rejected.map((item) => ({ ...item, item: eraseValue(item.item, words) })),
    drift: drift.map((field) => ({
      ...field,
      sample: hidesSamples ? ERASED_MARK : eraseValue(field.sample, words),
    })),
  };
  if (body === undefined) return { decoded: clean, body };
  return { decoded: clean, body: erasedBody(body, words) };
};
