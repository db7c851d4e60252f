import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** True where this runs from its sources, false where it is the built package. */
export const isCheckout = import.meta.url.endsWith('.ts');

/** The folder that holds package.json: the checkout, or the package where it is installed. */
export const packageFolder = (): string => {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) throw new Error(`no package.json above ${import.meta.url}`);
  return dirname(path);
};

/** A command line as it is typed here: `trendlake status`, in a checkout by way of npm. */
export const commandText = (line: string): string =>
  isCheckout ? `npm run -s trendlake -- ${line}` : `trendlake ${line}`;

/** Where a page of the documentation is: as people in a checkout call it, else its whole path. */
export const docsPage = (name: string): string =>
  isCheckout ? `docs/${name}` : join(packageFolder(), 'docs', name);
