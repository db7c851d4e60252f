import { html } from 'hono/html';
import { embedded, type Html } from './html.ts';

/** Request of the form, filled with examples. */
export interface TryableRequest {
  readonly method: 'GET' | 'POST';
  /** Path behind /v1, with its query. */
  readonly path: string;
  readonly body: string | undefined;
}

/**
 * Form that sends requests to this service with the reader's key. The key's field has no name, so no form
 * sends it and no browser stores it. Hidden without scripts: the commands below do the same.
 */
export const tryItSection = (requests: readonly TryableRequest[]): Html =>
  html`<section class="wide" id="try" hidden><h2>Try it</h2>
  <p class="soft small">Sends a real request, which counts against the limits of the key. The key is sent only to this address and is not stored.</p>
  <form id="try-form" autocomplete="off"><input type="password" id="try-key" aria-label="key" placeholder="tl_live_..." autocomplete="off">
    <select id="try-request" aria-label="endpoint">${requests.map(({ method, path }, index) => html`<option value="${index}">${method} ${path.replace(/\?.*/, '')}</option>`)}</select>
    <label class="path">/v1<input id="try-path" aria-label="path" spellcheck="false"></label><button>send</button></form>
  <textarea id="try-body" aria-label="body" rows="3" spellcheck="false" hidden></textarea>
  <p id="try-status" role="status" class="small"></p><pre id="try-response" tabindex="0" aria-label="response" hidden></pre>
  <script type="application/json" id="try-requests">${embedded(requests)}</script></section>`;
