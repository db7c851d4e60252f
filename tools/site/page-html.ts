import { hrefBetween, NAVIGATION, type SitePage } from './site-pages.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const navigation = (page: SitePage, pages: readonly SitePage[]): string =>
  NAVIGATION.map((group) => {
    const links = pages
      .filter((one) => one.group === group && one.kind === 'md')
      .map((one) => {
        const current = one === page ? ' aria-current="page"' : '';
        return `<li><a href="${hrefBetween(page.target, one.target)}"${current}>${escaped(one.title)}</a></li>`;
      });
    return `<h2>${escaped(group)}</h2>\n<ul>${links.join('\n')}</ul>`;
  }).join('\n');

/** A whole page of the site around its content. Nothing in it comes from elsewhere. */
export const pageHtml = (page: SitePage, content: string, pages: readonly SitePage[]): string => {
  const to = (target: string): string => hrefBetween(page.target, target);
  const title = page.target === 'index.html' ? 'trendlake' : `${page.title} - trendlake`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${to('site.css')}">
<script defer src="${to('minisearch.js')}"></script>
<script defer src="${to('search-data.js')}"></script>
<script defer src="${to('search.js')}" data-root="${to('index.html').replace(/index\.html$/, '')}"></script>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header>
<a class="home" href="${to('index.html')}">trendlake</a>
<div class="search" role="search">
<input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off">
<ol hidden></ol>
</div>
</header>
<nav aria-label="Pages"><details open><summary>Pages</summary>
${navigation(page, pages)}
</details></nav>
<main id="content" tabindex="-1">
${content}
</main>
</body>
</html>
`;
};
