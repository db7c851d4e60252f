import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { PLATFORM_NAMES } from './figures.ts';
import type { Html } from './html.ts';
import { linkHere, type PageView } from './page-view.ts';
import { tabs } from './tabs.ts';

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
