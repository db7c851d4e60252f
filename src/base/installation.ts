import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** False in the built package. */
export const isCheckout = import.meta.url.endsWith('.ts');

/** Folder of package.json. */
export const packageFolder = (): string => {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) throw new Error(`no package.json above ${import.meta.url}`);
  return dirname(path);
};

/** Command line as the user types it: `trendlake status`, through npm in a checkout. */
export const commandText = (line: string): string =>
  isCheckout ? `npm run -s trendlake -- ${line}` : `trendlake ${line}`;

/** Path of a documentation page: relative in a checkout, else absolute. */
export const docsPage = (name: string): string =>
  isCheckout ? `docs/${name}` : join(packageFolder(), 'docs', name);
