import { html } from 'hono/html';
import { embedded, type Html } from './html.ts';

/** A request that the box can make, filled with examples. */
export interface TryableRequest {
  readonly method: 'GET' | 'POST';
  /** Behind /v1, with what it asks for. */
  readonly path: string;
  readonly body: string | undefined;
}

/**
 * A box that makes requests of this service with the reader's own key. The key has no name, so that no
 * form sends and no browser keeps it; it goes to this origin alone, in the header of one request, and is
 * gone with the page. Without a script the box is not there: the commands below do the same.
 */
export const tryItSection = (requests: readonly TryableRequest[]): Html =>
  html`<section class="wide" id="try" hidden><h2>Try it</h2>
  <p class="soft small">Asks this service now, and counts like any call of the key. The key stays in this page: it is sent to this address alone and kept nowhere.</p>
  <form id="try-form" autocomplete="off"><input type="password" id="try-key" aria-label="key" placeholder="tl_live_..." autocomplete="off">
    <select id="try-request" aria-label="endpoint">${requests.map(({ method, path }, index) => html`<option value="${index}">${method} ${path.replace(/\?.*/, '')}</option>`)}</select>
    <label class="path">/v1<input id="try-path" aria-label="path" spellcheck="false"></label><button>send</button></form>
  <textarea id="try-body" aria-label="body" rows="3" spellcheck="false" hidden></textarea>
  <p id="try-status" role="status" class="small"></p><pre id="try-response" tabindex="0" aria-label="response" hidden></pre>
  <script type="application/json" id="try-requests">${embedded(requests)}</script></section>`;
