import { anchorOf, type SitePage } from './site-pages.ts';

/** A section of a page, as it is searched. */
export interface SearchDocument {
  readonly id: number;
  /** Title of the page. */
  readonly page: string;
  /** Heading of the section; the page's title before the first. */
  readonly title: string;
  readonly href: string;
  readonly text: string;
}

const plain = (markdown: string): string =>
  markdown
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/\]\([^)]*\)/g, ' ')
    .replace(/[`*|#[\]_>-]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const sectionsOf = ({ title: page, target, content }: SitePage): Omit<SearchDocument, 'id'>[] => {
  const sections = [{ page, title: page, href: target, lines: [] as string[] }];
  let isCode = false;
  for (const line of content.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,4} (.+)$/.exec(line)?.[1];
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else {
      const title = plain(heading);
      sections.push({ page, title, href: `${target}#${anchorOf(heading)}`, lines: [] });
    }
  }
  return sections
    .map(({ lines, ...section }) => ({ ...section, text: plain(lines.join('\n')) }))
    .filter(({ text }) => text !== '');
};

/** Search index of the site: one document per section of a Markdown page. */
export const searchDocuments = (pages: readonly SitePage[]): SearchDocument[] =>
  pages
    .filter(({ kind }) => kind === 'md')
    .flatMap(sectionsOf)
    .map((section, id) => ({ id, ...section }));
