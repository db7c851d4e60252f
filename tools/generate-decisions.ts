import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Writes the index at the head of docs/decisions.md from its headings. An entry whose text begins with
// `Superseded by "<title>".` is shown with what took its place. A test fails when the index is stale.
//
//   npm run docs decisions

const PAGE = join(import.meta.dirname, '..', 'docs', 'decisions.md');
const BEGIN = '<!-- index: npm run docs decisions -->';
const END = '<!-- end of the index -->';

/** The fragment that hosts of Markdown give a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

interface Entry {
  readonly heading: string;
  readonly title: string;
  readonly supersededBy: string | undefined;
}

const linkTo = ({ heading, title }: Entry): string => `[${title}](#${anchorOf(heading)})`;

/** The page with its index made anew. @throws when two entries have one title, or a successor is missing */
export const withIndex = (page: string): string => {
  const [head = ''] = page.split(BEGIN);
  const body = page.slice(page.indexOf(END) + END.length);
  const entries = body
    .split(/^## /m)
    .slice(1)
    .map((section): Entry => {
      const [heading = '', ...text] = section.split('\n');
      const title = heading.replace(/^\d{4}-\d\d-\d\d: /, '');
      const supersededBy = /^Superseded by "([^"]+)"\./.exec(text.join('\n').trim())?.[1];
      return { heading, title, supersededBy };
    });
  const lines = entries.map((entry, index) => {
    if (entries.findIndex(({ title }) => title === entry.title) !== index)
      throw new Error(`Two decisions are called "${entry.title}".`);
    if (entry.supersededBy === undefined) return `- ${linkTo(entry)}`;
    const successor = entries.find(({ title }) => title === entry.supersededBy);
    if (successor === undefined)
      throw new Error(
        `"${entry.title}" is superseded by "${entry.supersededBy}", which is no entry.`,
      );
    return `- ~~${linkTo(entry)}~~, superseded by ${linkTo(successor)}`;
  });
  return `${head}${BEGIN}\n\n${lines.join('\n')}\n\n${END}${body}`;
};

if (import.meta.main) writeFileSync(PAGE, withIndex(readFileSync(PAGE, 'utf8')));
