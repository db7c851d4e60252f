import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import MiniSearch from 'minisearch';
import { beforeAll, expect, test } from 'vitest';
import { anchorOf, hrefBetween, type SitePage, siteHref } from '../../tools/site/site-pages.ts';
import { freshFolder } from '../support/fresh.ts';

const root = join(import.meta.dirname, '..', '..');
const site = join(freshFolder(), 'site of the docs');
/** Every page of the site, by its path. */
const pages = new Map<string, string>();

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'tools', 'generate-site.ts'), site], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for (const entry of readdirSync(site, { recursive: true, withFileTypes: true }))
    if (entry.name.endsWith('.html')) {
      const path = join(entry.parentPath, entry.name);
      pages.set(path, readFileSync(path, 'utf8'));
    }
});

const idsOf = (html: string): Set<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));

test('every link leads to a page and a heading that are there', () => {
  const ids = new Map([...pages].map(([path, html]) => [path, idsOf(html)]));
  const files = new Set(
    readdirSync(site, { recursive: true, encoding: 'utf8' }).map((name) => join(site, name)),
  );
  const wrong = [...pages].flatMap(([path, html]) =>
    [...html.matchAll(/(?:href|src)="([^"]+)"/g)]
      .map(([, href = '']) => href)
      .filter((href) => !/^[a-z]+:/.test(href))
      .filter((href) => {
        const [to = '', fragment] = href.split('#');
        const target = to === '' ? path : join(dirname(path), decodeURIComponent(to));
        if (!files.has(target)) return true;
        return (
          fragment !== undefined && ids.get(target)?.has(decodeURIComponent(fragment)) !== true
        );
      })
      .map((href) => `${path.slice(site.length)}: ${href}`),
  );
  expect(wrong).toEqual([]);
  expect(pages.size).toBeGreaterThan(40);
});

test('nothing is fetched from elsewhere', () => {
  const outside = [...pages.values()].flatMap((html) => [
    ...html.matchAll(/<(?:script|img|link)[^>]+(?:src|href)="(?:https?:)?\/\/[^"]*"/g),
  ]);
  expect(outside).toEqual([]);
});

test('every page says where it stands, and each of docs/ is in the navigation', () => {
  const index = pages.get(join(site, 'index.html')) ?? '';
  const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => one.endsWith('.md')))
    expect(index).toContain(`href="docs/${name.replace(/md$/, 'html')}"`);
  for (const html of pages.values()) {
    expect(html.match(/<h1/g)?.length).toBe(1);
    expect(html).toMatch(/<title>[^<]+<\/title>/);
  }
});

test('the search finds sections, by words in them', () => {
  const script = readFileSync(join(site, 'search-data.js'), 'utf8');
  const documents = JSON.parse(
    script.replace(/^const SEARCH_DOCUMENTS = /, '').replace(/;\n$/, ''),
  );
  const index = new MiniSearch<{ id: number; title: string; page: string; text: string }>({
    fields: ['title', 'page', 'text'],
    storeFields: ['href'],
    searchOptions: { boost: { title: 4, page: 2 }, prefix: true, combineWith: 'AND' },
  });
  index.addAll(documents);
  const found = (words: string) => index.search(words).map(({ href }) => String(href));
  expect(found('systemd units')).toContain('packaging/systemd/index.html#systemd-units');
  expect(found('hashtag_trend')[0]).toMatch(/^docs\/(reference\/tables|guides\/cookbook)\.html#/);
  expect(
    found('webhook signature').some((href) => href.startsWith('docs/guides/webhooks.html')),
  ).toBe(true);
});

const page = (source: string, target: string): SitePage => ({
  source,
  target,
  title: '',
  group: '',
  kind: 'md',
  content: '',
});

test.each([
  ['docs/a.html', 'docs/b.html', 'b.html'],
  ['docs/a.html', 'index.html', '../index.html'],
  ['index.html', 'index.html', 'index.html'],
])('from %s to %s is %s', (from, to, href) => {
  expect(hrefBetween(from, to)).toBe(href);
});

test('a link to a missing page ends the build, with its name', () => {
  const here = page('docs/a.md', 'docs/a.html');
  const there = page('README.md', 'index.html');
  expect(siteHref(here, '../README.md#the-tour', [here, there])).toBe('../index.html#the-tour');
  expect(siteHref(here, 'https://example.com/x.md', [here])).toBe('https://example.com/x.md');
  expect(() => siteHref(here, 'gone.md', [here])).toThrow('docs/a.md links to gone.md');
});

test('a heading has the address that hosts of Markdown give it', () => {
  expect(anchorOf('Who may read `the lake`?')).toBe('who-may-read-the-lake');
});
