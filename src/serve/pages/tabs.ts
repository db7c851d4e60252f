import { html, raw } from 'hono/html';
import type { Html } from './html.ts';

export interface Tab {
  readonly name: string;
  readonly address: string;
  readonly isChosen: boolean;
}

export const tabs = (label: string, choices: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${choices.map(
    ({ name, address, isChosen }) =>
      html`<a href="${address}"${isChosen ? raw(' aria-current="true"') : ''}>${name}</a>`,
  )}</nav>`;
