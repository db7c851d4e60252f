import { EVENT_KINDS } from '../../../schema/vocabulary.ts';
import { isObject } from '../../base/json-object.ts';
import { terminalLine } from '../../base/terminal-text.ts';
import { eventSentence } from '../../lake/read/event-sentence.ts';
import type { ShownItem, ShownMessage } from './chat.ts';

/** More events than this become a digest. */
const MOST_EVENTS = 10;

const shownEvent = (body: string): ShownItem => {
  const { type, data } = JSON.parse(body) as { type: string; data: unknown };
  const { subject, note } = isObject(data) ? data : {};
  const { kind, id, url } = isObject(subject) ? subject : {};
  const known = EVENT_KINDS.find((kind) => kind === type);
  return {
    title: terminalLine([type, kind, id].filter((part) => typeof part === 'string').join(' ')),
    text: terminalLine(known === undefined ? String(note ?? '') : eventSentence(known, data)),
    url: typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? url : null,
  };
};

/**
 * Events as one message.
 * @param bodies as webhooks deliver them
 * @param publicUrl origin of the dashboard
 */
export const shownEvents = (
  bodies: readonly string[],
  publicUrl: string | undefined,
): ShownMessage => {
  const items = bodies.slice(0, MOST_EVENTS).map(shownEvent);
  return {
    headline:
      bodies.length === 1 ? `trendlake: ${items[0]?.title}` : `trendlake: ${bodies.length} events`,
    items,
    more: bodies.length - items.length,
    link: publicUrl === undefined ? undefined : `${publicUrl}/events`,
  };
};
