import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { EVENT_KINDS, type Platform } from '../../../schema/vocabulary.ts';
import { deliveriesOf, type EventDelivery } from '../../alerts/webhooks/deliveries.ts';
import { commandText } from '../../base/installation.ts';
import { isObject } from '../../base/json-object.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { StoredEvent } from '../../lake/lists/event-list.ts';
import type { Lake } from '../../lake/open.ts';
import { eventSentence } from '../../lake/read/event-sentence.ts';
import { videoByIdAsOf, videoRecord } from '../../lake/read/timeline.ts';
import type { ServiceContext } from '../request/context.ts';
import { eventKind, platformQuery, tag } from '../request/parameters.ts';
import { fileColumn, textInFiles } from './column-kinds.ts';
import type { Column, Listed } from './data-table.ts';
import { digits, PLATFORM_NAMES, sinceText } from './figures.ts';
import type { Html } from './html.ts';
import { listRoute, listSection } from './list-route.ts';
import { tableParameters } from './page-parameters.ts';
import { type PageDeps, type PageRequest, requesterOf } from './page-route.ts';
import {
  creatorPath,
  hashtagPath,
  linkHere,
  linkTo,
  type PageView,
  videoPath,
} from './page-view.ts';
import { platformTabs, tabs } from './tabs.ts';
import { videoCell } from './video-columns.ts';

interface EventRow extends NamedEvent {
  /** Null: the reader may not see deliveries. */
  readonly deliveries: readonly EventDelivery[] | null;
}

const KIND_NAMES = {
  'trend.spike': 'Spikes',
  'creator.viral': 'Creators gone viral',
  'hashtag.rising': 'Rising hashtags',
  'niche.breakout': 'Niches breaking out',
} as const;

const nameOf = (subject: string): [kind: string, id: string] => {
  const at = subject.indexOf(':');
  return [subject.slice(0, at), subject.slice(at + 1)];
};

/** An event with the subject's video and the reason in words. */
interface NamedEvent extends StoredEvent {
  /** Null where the event is about no video, or about one that the lake has not. */
  readonly video: ContentItem | null;
  readonly why: string;
}

const titled = ({ title, user, id }: ContentItem): string =>
  title ? `“${title}”` : user ? `A video by ${user}` : id;

/** Looks up the videos that an event is about or mentions. */
export const namedEvent = (lake: Lake, event: StoredEvent, at: number): NamedEvent => {
  const videoOf = (id: unknown): ContentItem | null => {
    const found = typeof id === 'string' ? videoByIdAsOf(lake, id, at) : undefined;
    return found === undefined ? null : videoRecord(lake, found.key, at);
  };
  const [kind, id] = nameOf(event.subject);
  const { evidence } = isObject(event.data) ? event.data : {};
  const mentioned = isObject(evidence) ? videoOf(evidence.video) : null;
  const data =
    mentioned === null || !isObject(event.data) || !isObject(evidence)
      ? event.data
      : { ...event.data, evidence: { ...evidence, video: titled(mentioned) } };
  return {
    ...event,
    video: kind === 'video' ? videoOf(id) : null,
    why: eventSentence(event.kind, data),
  };
};

/** Link to the page of an event's subject; plain text where it has no page. */
export const subjectLink = (view: PageView, { subject, platform, video }: NamedEvent): Html => {
  const [kind, id] = nameOf(subject);
  const link = (path: string, text: string): Html =>
    html`<a dir="auto" href="${linkTo(view, path)}">${text}</a>`;
  if (kind === 'video') return link(videoPath(id), video?.title || id);
  if (kind === 'creator' && platform !== null) return link(creatorPath(platform, id), `@${id}`);
  if (kind === 'hashtag') return link(hashtagPath(id), `#${id}`);
  return html`<span dir="auto">${kind === 'niche' ? id.replaceAll('+', ' + ') : id}</span>`;
};

const deliveryText = (view: PageView, delivery: EventDelivery): Html => {
  const { origin, state, attempts, deliveredAt, error } = delivery;
  const tries = attempts > 1 ? `, ${digits(attempts)} tries` : '';
  return html`<li><span class="outcome ${state}">${state}</span> to <bdi>${origin}</bdi> <span class="soft">${deliveredAt === null ? '' : sinceText(deliveredAt, view.at)}${tries}</span>${error === null || state === 'delivered' ? '' : html` <span class="down"><bdi>${error}</bdi></span>`}</li>`;
};

const deliveredText = (view: PageView, { deliveries }: EventRow): Html => {
  if (deliveries === null) return html`<span class="soft">–</span>`;
  if (deliveries.length === 0) return html`<span class="soft">no webhook</span>`;
  return html`<ul class="plain small told">${deliveries.map((delivery) => deliveryText(view, delivery))}</ul>`;
};

const statesOf = ({ deliveries }: EventRow): string | null =>
  deliveries?.map(({ origin, state }) => `${origin} ${state}`).join('; ') ?? null;

const COLUMNS: readonly Column<EventRow>[] = [
  {
    name: 'occurred_at',
    title: 'when',
    show: ({ occurredAt }, view) => sinceText(occurredAt, view.at),
    field: { type: 'TIMESTAMP_MILLIS', of: (event) => event.occurredAt },
  },
  {
    name: 'kind',
    title: 'what',
    show: (event, view) =>
      html`<span class="mark">${event.kind}</span> ${event.platform === null ? '' : html`<span class="soft small">${PLATFORM_NAMES[event.platform]}</span>`}<br>${event.video === null ? subjectLink(view, event) : videoCell(view, event.video)}`,
    field: { type: 'UTF8', of: (event) => event.kind },
  },
  textInFiles('platform', ({ platform }) => platform),
  textInFiles('subject', ({ subject }) => subject),
  {
    name: 'why',
    title: 'why',
    show: ({ why, origin }) =>
      html`<span class="why">${why}</span>${origin === 'upstream' ? html` <span class="soft small">reported by the API</span>` : ''}`,
    field: { type: 'UTF8', of: ({ why }) => why },
  },
  {
    name: 'delivered',
    title: 'delivered to',
    show: (event, view) => deliveredText(view, event),
    field: { type: 'UTF8', of: statesOf },
    hide: 'phone',
  },
  fileColumn('detected_at', 'TIMESTAMP_MILLIS', ({ detectedAt }) => detectedAt),
  textInFiles('id', ({ id }) => id),
];

interface Wanted {
  readonly kind?: StoredEvent['kind'] | undefined;
  readonly platform?: Platform | undefined;
  readonly tag?: string | undefined;
}

const withDeliveries = (
  lake: Lake,
  items: readonly StoredEvent[],
  { reader, at }: PageView,
): EventRow[] => {
  const shown = items.map((event) => namedEvent(lake, event, at));
  if (reader === 'public') return shown.map((event) => ({ ...event, deliveries: null }));
  const owner = reader === 'operator' ? undefined : reader.keyId;
  const ids = items.map(({ id }) => id);
  const deliveries = deliveriesOf(lake, ids, { owner, asOf: at });
  return shown.map((event) => ({ ...event, deliveries: deliveries.get(event.id) ?? [] }));
};

const listed =
  (
    { lake, reads }: ServiceContext,
    { query: { kind, platform, tag }, view, moment }: PageRequest<object, Wanted>,
  ): Listed<EventRow, null> =>
  async (paging) => {
    const wanted = { kind, platform, tag, asOf: view.at, ...paging };
    const { total, items } = await reads.events(wanted, requesterOf(moment));
    return { held: total, head: null, rows: withDeliveries(lake, items, view) };
  };

const filters = (view: PageView, { kind, platform }: Wanted): Html =>
  html`${tabs('Kind', [
    { name: 'All', address: linkHere(view, { kind: undefined }), isChosen: kind === undefined },
    ...EVENT_KINDS.map((name) => ({
      name: KIND_NAMES[name],
      address: linkHere(view, { kind: name }),
      isChosen: kind === name,
    })),
  ])}${platformTabs(view, platform, { all: 'All platforms' })}`;

const NOTHING_YET = 'No events yet. Finding a rise takes some days of history.';

/** `/events`: events with their reasons and webhook deliveries. */
export const eventsListPage = (deps: PageDeps): void =>
  listRoute(deps, {
    path: '/events',
    params: z.object({}),
    query: z.object({ kind: eventKind, platform: platformQuery, tag, ...tableParameters(COLUMNS) }),
    columns: COLUMNS,
    list: (wanted) => listed(deps.service, wanted),
    fileName: () => 'events',
    make: ({ query, view }, shown) => ({
      title: 'Events',
      assets: ['events.css'],
      about: filters(view, query),
      main: listSection(view, shown, {
        heading: 'Detected',
        note: `${digits(shown.held)} events, newest first`,
        caption: 'Events',
        none:
          (query.kind ?? query.platform) === undefined
            ? NOTHING_YET
            : 'No events match these filters.',
        after: html`<p class="soft small">The rules are described in docs/guides/events.md. To send events to a webhook, run <code>${commandText('webhooks add URL')}</code>.</p>`,
      }),
    }),
  });
