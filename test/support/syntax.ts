import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Node, parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '../..');

/** A file of the program, and its syntax. */
export interface Source {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
  /** Every node of it, outer ones first. */
  readonly nodes: readonly Node[];
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nodesOf = (program: Node): Node[] => {
  const nodes = [program];
  for (const node of nodes) // grows as it is walked
    for (const value of Object.values(node))
      if (Array.isArray(value)) nodes.push(...value.filter(isNode));
      else if (isNode(value)) nodes.push(value);
  return nodes;
};

/** The files of some folders, read as TypeScript. */
export const sourcesIn = (...folders: string[]): Source[] =>
  folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
        .map((name) => join(root, folder, name)),
    )
    .map((file) => {
      const text = readFileSync(file, 'utf8');
      const { program } = parseSync(file, text);
      return { path: relative(root, file), text, nodes: nodesOf(program) };
    });

/** The line of a node: `src/base/clock.ts:12`. */
export const lineOf = ({ path, text }: Source, { start }: { start: number }): string =>
  `${path}:${text.slice(0, start).split('\n').length}`;
