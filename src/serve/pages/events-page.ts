import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { deliveriesOf } from '../../alerts/webhooks/deliveries.ts';
import { commandText } from '../../base/installation.ts';
import type { StoredEvent } from '../../lake/lists/event-list.ts';
import type { Lake } from '../../lake/open.ts';
import type { ServiceContext } from '../request/context.ts';
import { eventKind, platformQuery, tag } from '../request/parameters.ts';
import { type Column, fileColumn, type Listed, textInFiles } from './data-table.ts';
import { type EventRow, eventCards, namedEvent } from './event-cards.ts';
import { digits } from './figures.ts';
import type { Html } from './html.ts';
import { listRoute, listSection } from './list-route.ts';
import { type PageDeps, type PageRequest, requesterOf } from './page-route.ts';
import type { PageView } from './page-view.ts';
import { parameterTabs, platformTabs } from './tabs.ts';

const KIND_NAMES = {
  '': 'All',
  'trend.spike': 'Spikes',
  'creator.viral': 'Creators gone viral',
  'hashtag.rising': 'Rising hashtags',
  'niche.breakout': 'Niches breaking out',
} as const;

const statesOf = ({ deliveries }: EventRow): string | null =>
  deliveries?.map(({ origin, state }) => `${origin} ${state}`).join('; ') ?? null;

const COLUMNS: readonly Column<EventRow>[] = [
  fileColumn('occurred_at', 'TIMESTAMP_MILLIS', ({ occurredAt }) => occurredAt),
  textInFiles('kind', ({ kind }) => kind),
  textInFiles('platform', ({ platform }) => platform),
  textInFiles('subject', ({ subject }) => subject),
  textInFiles('why', ({ why }) => why),
  textInFiles('delivered', statesOf),
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
    const { total, items } = await reads.read('events', wanted, requesterOf(moment));
    return { held: total, head: null, rows: withDeliveries(lake, items, view) };
  };

const filters = (view: PageView, { kind, platform }: Wanted): Html =>
  html`${parameterTabs(view, 'Kind', { parameter: 'kind', names: KIND_NAMES, chosen: kind })}${platformTabs(view, platform, 'All platforms')}`;

const NOTHING_YET = 'No events yet. Finding a rise takes some days of history.';

/** `/events`: events with their reasons and webhook deliveries. */
export const eventsListPage = (deps: PageDeps): void =>
  listRoute(deps, {
    path: '/events',
    query: { kind: eventKind, platform: platformQuery, tag },
    columns: COLUMNS,
    list: (wanted) => listed(deps.service, wanted),
    fileName: () => 'events',
    make: ({ query, view }, shown) => ({
      title: 'Events',
      about: filters(view, query),
      main: listSection(
        view,
        shown,
        {
          heading: 'Detected',
          note: `${digits(shown.held)} event${shown.held === 1 ? '' : 's'}, newest first`,
          caption: 'Events',
          none:
            (query.kind ?? query.platform) === undefined
              ? NOTHING_YET
              : 'No events match these filters.',
          after: html`<p class="soft small">The rules are described in docs/guides/events.md. To send events to a webhook, run <code>${commandText('webhooks add URL')}</code>.</p>`,
        },
        (rows) => eventCards(deps.service.lake, view, rows),
      ),
    }),
  });
