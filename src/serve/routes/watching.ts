import type { Context } from 'hono';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { rangeMs } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { resolveSubject } from '../../lake/watches/resolve-subject.ts';
import { callsPerMonth } from '../../lake/watches/watch-calls.ts';
import { parseSubject } from '../../lake/watches/watch-subject.ts';
import { addWatch, listWatches, pauseWatch, removeWatch } from '../../lake/watches/watches.ts';
import { PageBytes } from '../cache/page-cache.ts';
import { formBody } from '../http/body.ts';
import { RefusedError } from '../http/problems.ts';
import { refuseCrossOrigin } from '../http/sent-from.ts';
import { framed } from '../pages/frame.ts';
import { mayWatch, type PageDeps, presentView, sendFixedPage } from '../pages/page-route.ts';
import { type WatchingContent, watchingPage } from '../pages/watching-page.ts';
import type { ServiceEnv } from '../request/context.ts';
import type { WatchContext } from './watches.ts';

/** `/watching`: watches for key holders, and on this machine for everybody. Changing them takes the scope `watch`, or this machine. */
export const watchingRoutes = (deps: PageDeps, context: WatchContext): void => {
  const { app, service, keyGuard } = deps;
  const { writer } = context;

  const show = async (
    c: Context<ServiceEnv>,
    { message, typed = '' }: { message?: WatchingContent['message']; typed?: string } = {},
  ): Promise<Response> => {
    const tag = c.req.query('tag');
    const watches = listWatches(writer, tag === undefined ? {} : { tag }).map((watch) => ({
      ...watch,
      callsPerMonth: callsPerMonth(watch, context),
    }));
    const view = presentView(deps, c);
    const content = { watches, tag, mayChange: view.mayWatch, message, typed };
    return sendFixedPage(c, new PageBytes(String(await framed(view, watchingPage(view, content)))));
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
      return `Following ${watch.subject} for ${callsPerMonth(watch, context)} calls a month.`;
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
