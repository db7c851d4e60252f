import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { PLATFORM_NAMES } from './figures.ts';
import { type Html, NOTHING } from './html.ts';

/** External link to a subject on its platform, empty without an address. */
export const platformLink = (platform: Platform, url: string | undefined): Html =>
  url === undefined
    ? NOTHING
    : html`<a class="out" href="${url}" rel="noreferrer">on ${PLATFORM_NAMES[platform]} <span aria-hidden="true">↗</span></a>`;
