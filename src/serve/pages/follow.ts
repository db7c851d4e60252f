import { html, raw } from 'hono/html';
import { HOUR_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import type { WatchSubject } from '../../lake/watches/watch-subject.ts';
import { listWatches, tagsOfSubject } from '../../lake/watches/watches.ts';
import { type Html, NOTHING } from './html.ts';
import { linkHere, type PageView } from './page-view.ts';

const CADENCES = { '1h': 1, '6h': 6, '12h': 12, '1d': 24, '1w': 168 };

/** Tags of a video or creator, and a form to follow and tag it, which sends to `/watching`. */
export const followSection = (
  lake: Lake,
  view: PageView,
  { kind, platform, subject }: WatchSubject & { readonly kind: 'video' | 'creator' },
): Html => {
  if (view.reader === 'public') return NOTHING;
  const tags = tagsOfSubject(lake, { kind, id: subject, platform });
  const watch = listWatches(lake).find(
    (each) =>
      each.kind === kind &&
      each.subject === subject &&
      (kind === 'video' || each.platform === platform),
  );
  const hours = watch === undefined ? 24 : watch.everyMs / HOUR_MS;
  const chips = tags.map(
    (tag) => html`<a class="chip" href="${linkHere(view, { tag })}">${tag}</a> `,
  );
  const form = html`<form class="search" method="post" action="/watching"><input type="hidden" name="action" value="add">
<input type="hidden" name="subject" value="${kind === 'creator' ? `@${subject}` : subject}"><input type="hidden" name="platform" value="${platform ?? ''}">
<label>every<select name="every">${Object.entries(CADENCES).map(([name, of]) => html`<option${of === hours ? raw(' selected') : ''}>${name}</option>`)}</select></label>
<label class="grow">tags<input name="tags" placeholder="client, campaign" maxlength="400"></label><button>${watch === undefined ? 'follow' : 'save'}</button></form>`;
  return html`<section id="follow"><h2>${watch === undefined ? 'Follow' : 'Followed'} ${chips}</h2>${view.mayWatch ? form : html`<p class="soft small">To follow and tag, you need a key with the scope <code>watch</code>.</p>`}</section>`;
};
