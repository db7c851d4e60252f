import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import Eleventy, { type Markdown, type SiteConfig, type TemplateData } from '@11ty/eleventy';
import { pageHtml } from './site/page-html.ts';
import { searchDocuments } from './site/search-documents.ts';
import { anchorOf, ROOT, type SitePage, siteHref, sitePages } from './site/site-pages.ts';

// Builds the documentation site with Eleventy: docs/ and examples/ with navigation and search. It needs no
// network and no server. A broken link fails the build.
//
//   npm run docs site [-- FOLDER]        into site/

const ASSETS = join(import.meta.dirname, 'site', 'assets');
const MINISEARCH = join(ROOT, 'node_modules', 'minisearch', 'dist', 'umd', 'index.js');

const pages = sitePages();
/** Template name for Eleventy, which would not accept every file extension. */
const inputOf = (index: number, { kind }: SitePage): string => `page-${index}.${kind}`;
const pageOf = ({ page }: TemplateData): SitePage => {
  const found = pages[Number(/page-(\d+)\./.exec(page.inputPath)?.[1])];
  if (found === undefined) throw new Error(`there is no page ${page.inputPath}`);
  return found;
};

/** Adds an id to each heading and rewrites links to pages of the site. */
const linkAndAnchor = (markdown: Markdown): void =>
  markdown.core.ruler.push('site', ({ tokens, env }) => {
    const page = pageOf(env);
    const seen = new Map<string, number>();
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'heading_open') {
        const anchor = anchorOf(tokens[at + 1]?.content ?? '');
        const before = seen.get(anchor) ?? 0;
        seen.set(anchor, before + 1);
        token.attrSet('id', before === 0 ? anchor : `${anchor}-${before}`);
      }
      for (const child of token.children ?? []) {
        const href = child.type === 'link_open' ? child.attrGet('href') : null;
        if (href !== null) child.attrSet('href', siteHref(page, href, pages));
      }
    }
  });

const isPicture = (name: string): boolean => /\.(png|svg|jpe?g|webp)$/.test(name);

const configure = (config: SiteConfig): void => {
  for (const [index, page] of pages.entries())
    config.addTemplate(inputOf(index, page), page.content, {
      permalink: page.target,
      templateEngineOverride: page.kind === 'md' ? 'md' : false, // braces are the text's own
    });
  config.amendLibrary('md', linkAndAnchor);
  config.addTransform('page', function (content) {
    return pageHtml(pageOf(this), content, pages);
  });
  const pictures = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
    isPicture,
  );
  const files: (readonly [string, string])[] = [
    [join(ASSETS, 'site.css'), 'site.css'],
    [join(ASSETS, 'search.js'), 'search.js'],
    [MINISEARCH, 'minisearch.js'],
    ...pictures.map((name) => [join(ROOT, 'docs', name), `docs/${name}`] as const),
  ];
  config.addPassthroughCopy(
    Object.fromEntries(files.map(([from, to]) => [relative(process.cwd(), from), to])),
  );
};

const output = resolve(process.argv[2] ?? join(ROOT, 'site'));
process.chdir(ROOT); // Eleventy takes its folders from there
rmSync(output, { recursive: true, force: true });
await new Eleventy(relative(ROOT, ASSETS), relative(ROOT, output), {
  quietMode: true,
  config: configure,
}).write();
mkdirSync(output, { recursive: true });
const documents = JSON.stringify(searchDocuments(pages));
writeFileSync(join(output, 'search-data.js'), `const SEARCH_DOCUMENTS = ${documents};\n`);
process.stdout.write(`${pages.length} pages in ${output}\n`);
