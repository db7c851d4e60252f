import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Finds banned phrases in comments, names of tests, texts of src and jobs, README and docs. A line with
// `words-ok` is not read. Exit code 1 if there are more than N: `npm run check` names today's number.
//
//   node tools/check-words.ts [--count | --most N]     --count prints how many each folder has

/** Openings that a comment or paragraph must not have, unless it is a question. */
const OPENING = /^[\s*|>-]*(?:What|Who|Whose|Whether|Which|How(?! to\b)|Where)\b(?![^.|]*\?)/g;
const PHRASES =
  "stands?(?! for) stood tells? told of_(?:its|their|his|one's|our)_own none_of (?<!there_)(?:is|are)_none " +
  '(?<!there_)is_no(?!_(?:longer|more)) otherwise_than another_than what_of the_more_so anew as_of_late ' +
  'holds?_up go(?:es)?_by in_turn once_more never_never (?:nothing|what)_came came_of a_letter';
const PHRASE = new RegExp(
  String.raw`\b(?:${PHRASES.replaceAll(' ', '|').replaceAll('_', String.raw`\s+`)})\b`,
  'gi',
);

const HOLE = String.raw`\$\{(?:[^{}\x60]|\{[^{}]*\}|\x60(?:\\.|[^\x60\\])*\x60)*\}`;
const TOKENS = [
  String.raw`(?<comment>\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\/)`,
  String.raw`(?<=[(,=:[!&|?{};]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/`, // a regular expression
  String.raw`(?<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\x60(?:\\.|${HOLE}|[^\x60\\])*\x60)`,
];

const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
/** The text in its length, with blanks for comment marks, code and values. */
const proseOf = (part: string): string =>
  part
    .replace(/^\s*(?:\/\*\*?|\/\/)|\*\/$|(?<=\n)[ \t]*(?:\/\/|\*)/g, blank)
    .replace(new RegExp(`${HOLE}|(?<!^)\`[^\`\n]*\`|\\]\\([^)]*\\)`, 'g'), blank);

const SQL = /^.\s*(?:select|with|insert|update|delete|create|alter) |\bfrom \w+ \w+\b.* = /is;

interface Passage {
  readonly at: number;
  readonly text: string;
}

const codePassages = (source: string, path: string): Passage[] =>
  [...source.matchAll(new RegExp(TOKENS.join('|'), 'g'))].flatMap(({ index: at, groups }) => {
    const { comment, text = '' } = groups ?? {};
    if (comment !== undefined) return [{ at, text: comment }];
    const isRead = path.endsWith('.test.ts')
      ? /\b(?:test|describe)\(\s*$|\]\)\(\s*$/.test(source.slice(Math.max(0, at - 30), at))
      : /^(?:src|jobs)\//.test(path) && /[a-z,.] [a-z]/.test(text) && !SQL.test(text);
    return isRead ? [{ at: at + 1, text: text.slice(1, -1) }] : [];
  });

const pagePassages = (source: string): Passage[] => {
  const page = source.replace(/^```[\s\S]*?^```|<!--[\s\S]*?-->/gm, blank);
  const paragraphs = page.matchAll(/[^\n]+(?:\n(?![\n|#>*-])[^\n]+)*/g);
  return [...paragraphs].map(({ index: at, 0: text }) => ({ at, text }));
};

const root = join(import.meta.dirname, '..');
const files = ['README.md', 'docs/**/*.md', '{src,schema,jobs,test,bench,prove,tools}/**/*.ts'];
const counts = new Map<string, number>();
const [option, most = '0'] = process.argv.slice(2);
const isCount = option === '--count';
const found: string[] = [];
const exclude = ['**/node_modules/**']; // that of test/engines
for (const path of globSync(files, { cwd: root, exclude }).sort()) {
  const source = readFileSync(join(root, path), 'utf8');
  for (const passage of (path.endsWith('.md') ? pagePassages : codePassages)(source, path)) {
    const text = proseOf(passage.text);
    for (const { index, 0: phrase } of [...text.matchAll(OPENING), ...text.matchAll(PHRASE)]) {
      const line = source.slice(0, passage.at + index + phrase.length).split('\n').length;
      if (source.split('\n')[line - 1]?.includes('words-ok') === true) continue;
      const folder = path.split('/').slice(0, path.startsWith('src/') ? -1 : 1);
      counts.set(folder.join('/'), (counts.get(folder.join('/')) ?? 0) + 1);
      found.push(`${path}:${line} ${phrase.trim().replace(/\s+/g, ' ')}`);
    }
  }
}
if (isCount) for (const [folder, count] of counts) console.log(`${count}\t${folder || 'README'}`);
else if (found.length > Number(most)) {
  console.log(`${found.join('\n')}\n${found.length} banned phrases; at most ${most} are allowed.`);
  process.exitCode = 1;
}
