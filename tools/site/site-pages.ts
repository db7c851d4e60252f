import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** The checkout. */
export const ROOT: string = join(import.meta.dirname, '..', '..');

/** One page of the site, from one file of the checkout or a folder of examples. */
export interface SitePage {
  /** Path in the checkout. */
  readonly source: string;
  /** Path in the site. */
  readonly target: string;
  readonly title: string;
  /** The group of the navigation it stands in. */
  readonly group: string;
  /** Markdown, or HTML of a file that is shown as it is. */
  readonly kind: 'md' | 'html';
  readonly content: string;
}

/** Pages by group, in the order of the navigation. Pages that are not listed come last. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: [
    'README.md',
    'docs/start.md',
    'docs/concepts.md',
    'docs/faq.md',
    'docs/troubleshooting.md',
  ],
  Guides: [
    'query',
    'cookbook',
    'bi',
    'dashboard',
    'forecasts',
    'events',
    'webhooks',
    'service',
    'assistants',
    'library',
    'operating',
    'quota',
    'many-machines',
    'publish',
    'security',
  ].map((name) => `docs/guides/${name}.md`),
  Reference: ['settings', 'commands', 'tables', 'metrics', 'api', 'parquet', 'policies'].map(
    (name) => `docs/reference/${name}.md`,
  ),
  Examples: ['examples/README.md', 'packaging/systemd/README.md'],
};
const REST = 'Internals';

const groupOf = (source: string): string =>
  Object.keys(GROUPS).find((group) => GROUPS[group]?.includes(source)) ??
  (source.startsWith('examples/') ? 'Examples' : REST);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Path in the site of a file of the checkout. */
const targetOf = (source: string): string => {
  if (source === 'README.md') return 'index.html';
  return source.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$|(?<!\.html)$/, '.html');
};

const markdownPage = (source: string): SitePage => {
  const content = readFileSync(join(ROOT, source), 'utf8');
  const title = /^# (.+)$/m.exec(content)?.[1] ?? source;
  return { source, target: targetOf(source), title, group: groupOf(source), kind: 'md', content };
};

const filePage = (source: string): SitePage => ({
  source,
  target: `${source}.html`,
  title: source,
  group: 'Examples',
  kind: 'html',
  content: `<h1>${escaped(source)}</h1>\n<pre><code>${escaped(readFileSync(join(ROOT, source), 'utf8'))}</code></pre>\n`,
});

const folderPage = (folder: string, sources: readonly string[]): SitePage => ({
  source: folder,
  target: `${folder}index.html`,
  title: folder,
  group: 'Examples',
  kind: 'html',
  content: `<h1>${escaped(folder)}</h1>\n<ul>${sources
    .filter((source) => source.startsWith(folder))
    .map((source) => source.slice(folder.length))
    .map((name) => `<li><a href="${escaped(name)}.html">${escaped(name)}</a></li>`)
    .join('\n')}</ul>\n`,
});

const filesUnder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();

/** A folder and all above it but the first, whose own page is its README. */
const foldersOf = (source: string): string[] => {
  const parts = dirname(source).split('/');
  return parts.slice(1).map((_, at) => `${parts.slice(0, at + 2).join('/')}/`);
};

/** Every page, in the order of the navigation. */
export const sitePages = (): SitePage[] => {
  const texts = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'CODE_OF_CONDUCT.md',
    'SECURITY.md',
  ];
  const docs = filesUnder('docs').filter((source) => source.endsWith('.md'));
  const shown = ['examples', 'packaging'].flatMap(filesUnder);
  const markdown = [...texts, ...docs, ...shown.filter((source) => source.endsWith('.md'))];
  const files = shown.filter((source) => !source.endsWith('.md'));
  const folders = [...new Set(files.flatMap(foldersOf))].filter(
    (folder) => !markdown.includes(`${folder}README.md`),
  );
  const order = Object.values(GROUPS).flat();
  const rank = (source: string): number => {
    const at = order.indexOf(source);
    return at === -1 ? order.length : at;
  };
  return [
    ...markdown.sort((a, b) => rank(a) - rank(b)).map(markdownPage),
    ...files.map(filePage),
    ...folders.map((folder) => folderPage(folder, files)),
  ];
};

/** The groups of the navigation, in order. */
export const NAVIGATION: readonly string[] = [...Object.keys(GROUPS), REST];

/** The address that a heading has, as hosts of Markdown give it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** The way from one page of the site to another, so that it works in any folder, also without a server. */
export const hrefBetween = (from: string, to: string): string =>
  posix.relative(posix.dirname(from), to) || posix.basename(to);

/**
 * Target of a link within the site. Links to other sites are returned unchanged.
 * @throws if the site has no such page
 */
export const siteHref = (page: SitePage, href: string, pages: readonly SitePage[]): string => {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [path = '', fragment] = href.split('#');
  const source = posix.join(posix.dirname(page.source), path);
  const target = pages.find((one) => one.source === source)?.target;
  if (target === undefined) throw new Error(`${page.source} links to ${href}, which is no page`);
  return hrefBetween(page.target, target) + (fragment === undefined ? '' : `#${fragment}`);
};
