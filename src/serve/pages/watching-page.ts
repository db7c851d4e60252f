import type { Context } from 'hono';
import { html } from 'hono/html';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { HOUR_MS, rangeMs } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { resolveSubject } from '../../lake/watches/resolve-subject.ts';
import { callsPerMonth } from '../../lake/watches/watch-calls.ts';
import { parseSubject } from '../../lake/watches/watch-subject.ts';
import {
  addWatch,
  listWatches,
  pauseWatch,
  removeWatch,
  type Watch,
} from '../../lake/watches/watches.ts';
import { formBody } from '../http/body.ts';
import { RefusedError } from '../http/problems.ts';
import { refuseCrossOrigin } from '../http/sent-from.ts';
import type { ServiceEnv } from '../request/context.ts';
import { digits, PLATFORM_NAMES, sinceText } from './figures.ts';
import type { FramedPage } from './frame.ts';
import { type Html, NOTHING } from './html.ts';
import { platformSelect } from './marks.ts';
import { mayWatch, type PageDeps, sendPresentPage } from './page-route.ts';
import { creatorPath, hashtagPath, linkTo, type PageView, videoPath } from './page-view.ts';

/** A watch with its price, for the page. */
export interface ShownWatchRow extends Watch {
  readonly callsPerMonth: number;
}

/** Content of `/watching`. */
export interface WatchingContent {
  readonly watches: readonly ShownWatchRow[];
  /** Chosen tag. */
  readonly tag: string | undefined;
  /** Result of the last change. */
  readonly message: { readonly text: string; readonly isError: boolean } | undefined;
  /** Input of the reader that could not be saved. */
  readonly typed: string;
}

const cadence = (everyMs: number): string => {
  const hours = everyMs / HOUR_MS;
  return hours % 24 === 0 ? `${digits(hours / 24)} d` : `${digits(hours)} h`;
};

const subjectCell = (view: PageView, { kind, platform, subject }: Watch): Html => {
  if (kind === 'creator' && platform !== null)
    return html`<a dir="auto" href="${linkTo(view, creatorPath(platform, subject))}">@${subject}</a>`;
  if (kind === 'video') return html`<a href="${linkTo(view, videoPath(subject))}">${subject}</a>`;
  if (kind === 'hashtag')
    return html`<a dir="auto" href="${linkTo(view, hashtagPath(subject))}">#${subject}</a>`;
  return html`<a dir="auto" href="${linkTo(view, '/search', { q: subject })}">“${subject}”</a>`;
};

const stateCell = ({ pausedAt, pausedReason, until, nextAt }: Watch, view: PageView): Html => {
  if (pausedAt !== null)
    return html`<span class="outcome paused">paused</span>${pausedReason === null ? '' : html` <span class="soft small">${pausedReason}</span>`}`;
  if (until !== null && until <= view.at) return html`<span class="outcome skipped">ended</span>`;
  return nextAt <= view.at
    ? html`<span class="outcome partial">due</span>`
    : html`<span class="outcome complete">active</span>`;
};

const changeForm = ({ id, pausedAt }: Watch): Html =>
  html`<form method="post" action="/watching"><input type="hidden" name="id" value="${id}"><button name="action" value="${pausedAt === null ? 'pause' : 'resume'}">${pausedAt === null ? 'pause' : 'resume'}</button><button name="action" value="remove">remove</button></form>`;

const row = (view: PageView, watch: ShownWatchRow): Html =>
  html`<tr><td>${subjectCell(view, watch)}${watch.note === null ? '' : html`<br><span class="soft small">${watch.note}</span>`}</td>
<td class="no-phone">${watch.platform === null ? 'all' : PLATFORM_NAMES[watch.platform]}</td>
<td>${watch.tags.map((tag) => html`<a class="chip" href="/watching?${new URLSearchParams({ tag })}">${tag}</a>`)}</td>
<td class="n">${cadence(watch.everyMs)}</td><td class="n no-phone">${digits(watch.callsPerMonth)}</td>
<td class="no-phone">${watch.lastAt === null ? 'never' : sinceText(watch.lastAt, view.at)}</td>
<td>${stateCell(watch, view)}</td>${view.mayWatch ? html`<td>${changeForm(watch)}</td>` : NOTHING}`;

const table = (view: PageView, { watches }: WatchingContent): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="Watches"><table class="data"><caption class="unseen">Watches</caption>
<thead><tr><th scope="col">subject</th><th scope="col" class="no-phone">platform</th><th scope="col">tags</th><th scope="col" class="n">every</th><th scope="col" class="n no-phone">calls a month</th><th scope="col" class="no-phone">last seen</th><th scope="col">state</th>${view.mayWatch ? html`<th scope="col"><span class="unseen">change</span></th>` : NOTHING}</tr></thead>
<tbody>${watches.map((watch) => row(view, watch))}</tbody></table></div>`;

const addForm = ({ typed }: WatchingContent): Html =>
  html`<section><h2>Follow</h2>
<form class="search" method="post" action="/watching"><input type="hidden" name="action" value="add">
<label class="grow">creator, video, hashtag or search<input name="subject" value="${typed}" required maxlength="2000" placeholder="@handle, address of a video, #tag or words"></label>
<label>platform${platformSelect('as written')}</label>
<label>every<select name="every">${['1h', '6h', '12h', '1d', '1w'].map((every) => html`<option${every === '1d' ? html` selected` : ''}>${every}</option>`)}</select></label>
<label>tags<input name="tags" placeholder="client, campaign" maxlength="400"></label>
<label>note<input name="note" maxlength="200"></label>
<button>follow</button></form></section>`;

/** `/watching`: watches with price and state, and a form to follow more. */
const watchingPage = (view: PageView, content: WatchingContent): FramedPage => {
  const { watches, tag, message } = content;
  const mayChange = view.mayWatch;
  const calls = watches
    .filter(({ pausedAt }) => pausedAt === null)
    .reduce((sum, { callsPerMonth }) => sum + callsPerMonth, 0);
  return {
    title: 'Watching',
    isTimed: false,
    whenChanged: 'nothing',
    about:
      tag === undefined
        ? html`${digits(watches.length)} watches, ${digits(calls)} calls a month`
        : html`tag <b>${tag}</b>: ${digits(watches.length)} watches, ${digits(calls)} calls a month. <a href="/watching">all tags</a>`,
    main: html`${message === undefined ? NOTHING : html`<p class="notice${message.isError ? ' down' : ''}" role="${message.isError ? 'alert' : 'status'}">${message.text}</p>`}
${mayChange ? addForm(content) : NOTHING}
<section>${
      watches.length === 0
        ? html`<p class="empty">Nothing is followed yet. ${mayChange ? 'Use the form above, or' : 'Use'} <code>${commandText('watch add @handle --platform tiktok')}</code>.</p>`
        : table(view, content)
    }</section>`,
  };
};

/** `/watching`: watches for key holders, and on this machine for everybody. Changing them takes the scope `watch`, or this machine. */
export const watchingRoutes = (deps: PageDeps): void => {
  const { app, service, keyGuard } = deps;
  const { writer } = service;

  const show = async (
    c: Context<ServiceEnv>,
    { message, typed = '' }: { message?: WatchingContent['message']; typed?: string } = {},
  ): Promise<Response> => {
    const tag = c.req.query('tag');
    const watches = listWatches(writer, tag === undefined ? {} : { tag }).map((watch) => ({
      ...watch,
      callsPerMonth: callsPerMonth(watch, service),
    }));
    return sendPresentPage(deps, c, (view) => watchingPage(view, { watches, tag, message, typed }));
  };

  const change = (form: URLSearchParams): string => {
    const field = (name: string): string => form.get(name)?.trim() ?? '';
    const action = field('action');
    if (action === 'add') {
      const parsed = parseSubject(field('subject'), {
        platform: PLATFORMS.find((name) => name === field('platform')) ?? null,
      });
      const watch = addWatch(
        writer,
        {
          ...resolveSubject(writer, parsed),
          everyMs: rangeMs(field('every')) ?? null,
          tags: field('tags')
            .split(',')
            .map((tag) => tag.trim())
            .filter((tag) => tag !== ''),
          note: field('note') === '' ? null : field('note'),
          until: null,
        },
        service.clock.now(),
      );
      return `Following ${watch.subject} for ${callsPerMonth(watch, service)} calls a month.`;
    }
    const id = field('id');
    if (action === 'remove') return `Removed ${removeWatch(writer, id).subject}.`;
    if (action === 'pause')
      return `Paused ${pauseWatch(writer, id, { pausedAt: service.clock.now() }).subject}.`;
    if (action === 'resume')
      return `Resumed ${pauseWatch(writer, id, { pausedAt: null }).subject}.`;
    throw new UsageError('The form has no known action. Reload the page and try again.');
  };

  // tags name clients, so a public dashboard does not show them
  app.get('/watching', keyGuard, (c) => show(c));

  app.post('/watching', keyGuard, async (c) => {
    refuseCrossOrigin(c, 'Watches are changed from this page, not from another site.');
    if (!mayWatch(deps, c))
      throw new RefusedError(
        'forbidden',
        'Your key lacks the scope `watch`. Ask the operator for a key with it.',
      );
    const form = await formBody(c);
    try {
      return await show(c, { message: { text: change(form), isError: false } });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const message = { text: error.message, isError: true };
      return show(c, { message, typed: form.get('subject') ?? '' });
    }
  });
};
