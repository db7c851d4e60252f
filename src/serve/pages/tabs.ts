import { html, raw } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { PLATFORM_NAMES } from './figures.ts';
import type { Html } from './html.ts';
import { linkHere, type PageView, type QueryChange } from './page-view.ts';

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

/** Links that set one parameter of this page. Names by value; the value '' removes the parameter. */
export const parameterTabs = (
  view: PageView,
  label: string,
  {
    parameter,
    names,
    chosen = '',
    usual,
    clears,
  }: {
    readonly parameter: string;
    readonly names: Readonly<Record<string, string>>;
    readonly chosen: string | undefined;
    /** Value that the address leaves out. */
    readonly usual?: string;
    /** Other parameters to set or remove. */
    readonly clears?: QueryChange;
  },
): Html =>
  tabs(
    label,
    Object.entries(names).map(([value, name]) => ({
      name,
      address: linkHere(view, { ...clears, [parameter]: value === usual ? undefined : value }),
      isChosen: value === chosen,
    })),
  );

/** Links to the platforms. `all` is the name of the tab for all platforms, absent without such a tab. */
export const platformTabs = (view: PageView, chosen: Platform | undefined, all?: string): Html => {
  const names = all === undefined ? PLATFORM_NAMES : { '': all, ...PLATFORM_NAMES };
  return parameterTabs(view, 'Platform', { parameter: 'platform', names, chosen });
};
