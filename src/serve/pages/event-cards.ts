import { html } from 'hono/html';
import type { EventDelivery } from '../../alerts/webhooks/deliveries.ts';
import { DAY_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import { KIND_WORDS } from '../../lake/read/subject-name.ts';
import { timeline, videoByIdAsOf } from '../../lake/read/timeline.ts';
import { spark } from './chart.ts';
import { type NamedEvent, subjectLink } from './event-names.ts';
import { digits, PLATFORM_NAMES, sinceText } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { creatorPath, linkTo, type PageView, videoPath } from './page-view.ts';

export interface EventRow extends NamedEvent {
  /** Null: the reader may not see deliveries. */
  readonly deliveries: readonly EventDelivery[] | null;
}

const deliveryText = (view: PageView, delivery: EventDelivery): Html => {
  const { origin, state, attempts, deliveredAt, error } = delivery;
  const tries = attempts > 1 ? `, ${digits(attempts)} tries` : '';
  return html`<li><span class="outcome ${state}">${state}</span> to <bdi>${origin}</bdi> <span class="soft">${deliveredAt === null ? '' : sinceText(deliveredAt, view.at)}${tries}</span>${error === null || state === 'delivered' ? '' : html` <span class="down"><bdi>${error}</bdi></span>`}</li>`;
};

const deliveredText = (view: PageView, { deliveries }: EventRow): Html => {
  if (deliveries === null || deliveries.length === 0) return NOTHING;
  return html`<ul class="plain small deliveries">${deliveries.map((delivery) => deliveryText(view, delivery))}</ul>`;
};

/** Growth of the event's video until the view's instant. */
const curveOf = (lake: Lake, { video, mentioned }: EventRow, { at }: PageView): Html => {
  const { id } = video ?? mentioned ?? {};
  const found = id === undefined ? undefined : videoByIdAsOf(lake, id, at);
  return found === undefined ? NOTHING : spark(timeline(lake, found.key, at));
};

/** Link to the creator of the event's video, or to the video that a creator's event mentions. */
const besides = (view: PageView, { video, mentioned }: EventRow): Html => {
  if (mentioned !== null)
    return html` <a class="soft small" href="${linkTo(view, videoPath(mentioned.id))}">the video</a>`;
  return video === null || video.user === null || video.user === ''
    ? NOTHING
    : html` <a class="soft small" dir="auto" href="${linkTo(view, creatorPath(video.platform, video.user))}">${video.user}</a>`;
};

const card = (lake: Lake, view: PageView, event: EventRow): Html => {
  const { kind, platform, occurredAt, headline, why, origin } = event;
  const where = platform === null ? '' : ` · ${PLATFORM_NAMES[platform]}`;
  const by = origin === 'upstream' ? ' · reported by the API' : '';
  return html`<li class="event"><p class="soft small"><time datetime="${isoOf(occurredAt)}">${isoOf(occurredAt).slice(11, 16)}</time> · <span class="kind">${KIND_WORDS[kind]}</span>${where}${by}</p>
<h4>${headline ?? why}</h4>${curveOf(lake, event, view)}
<p class="subject">${subjectLink(view, event)}${besides(view, event)}</p>
${headline === undefined ? NOTHING : html`<p class="why soft">${why}</p>`}${deliveredText(view, event)}</li>`;
};

/** Events in one line each, for pages with other lists. */
export const eventLines = (view: PageView, events: readonly NamedEvent[]): Html =>
  html`<ul class="plain noticed">${events.map(
    (event) =>
      html`<li title="${event.why}"><b>${event.headline ?? KIND_WORDS[event.kind]}</b> <span class="soft small">${sinceText(event.occurredAt, view.at)}</span><br>${subjectLink(view, event)} <span class="soft small">${KIND_WORDS[event.kind]}</span></li>`,
  )}</ul>`;

const dayName = (day: string, { at, isPast }: PageView): string => {
  if (isPast) return day;
  if (day === isoOf(at).slice(0, 10)) return `Today, ${day}`;
  return day === isoOf(at - DAY_MS).slice(0, 10) ? `Yesterday, ${day}` : day;
};

/** Events as cards, in their order, under their days (UTC). */
export const eventCards = (lake: Lake, view: PageView, events: readonly EventRow[]): Html => {
  const days = Map.groupBy(events, ({ occurredAt }) => isoOf(occurredAt).slice(0, 10));
  return html`${[...days].map(
    ([day, ofDay]) =>
      html`<h3 class="day">${dayName(day, view)} <span class="soft small">UTC</span></h3><ul class="plain events">${ofDay.map((event) => card(lake, view, event))}</ul>`,
  )}`;
};
