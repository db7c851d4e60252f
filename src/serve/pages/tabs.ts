import { html, raw } from 'hono/html';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { PLATFORM_NAMES } from './figures.ts';
import type { Html } from './html.ts';
import { linkHere, type PageView } from './page-view.ts';

interface Tab {
  readonly name: string;
  readonly address: string;
  readonly isChosen: boolean;
}

export const tabs = (label: string, choices: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${choices.map(
    ({ name, address, isChosen }) =>
      html`<a href="${address}"${isChosen ? raw(' aria-current="true"') : ''}>${name}</a>`,
  )}</nav>`;

/** Links to the platforms. `all` is the name of the tab for all platforms, absent without such a tab. */
export const platformTabs = (
  view: PageView,
  chosen: Platform | undefined,
  {
    all,
    addressOf = (platform) => linkHere(view, { platform }),
  }: {
    readonly all?: string;
    readonly addressOf?: (platform: Platform | undefined) => string;
  } = {},
): Html => {
  const every =
    all === undefined
      ? []
      : [{ name: all, address: addressOf(undefined), isChosen: chosen === undefined }];
  return tabs('Platform', [
    ...every,
    ...PLATFORMS.map((platform) => ({
      name: PLATFORM_NAMES[platform],
      address: addressOf(platform),
      isChosen: platform === chosen,
    })),
  ]);
};
