/** One instruction of a Dockerfile, its lines joined. */
export interface Instruction {
  readonly name: string;
  /** The text behind the name, without its flags. */
  readonly value: string;
  /** `--from=build` as `from: build`. */
  readonly flags: Readonly<Record<string, string>>;
}

const KNOWN = [
  'FROM',
  'RUN',
  'CMD',
  'LABEL',
  'EXPOSE',
  'ENV',
  'ADD',
  'COPY',
  'ENTRYPOINT',
  'VOLUME',
  'USER',
  'WORKDIR',
  'ARG',
  'STOPSIGNAL',
  'HEALTHCHECK',
  'SHELL',
];

const instructionOf = (line: string): Instruction => {
  const [, name = '', rest = ''] = /^(\S+)\s+([\s\S]*)$/.exec(line) ?? [];
  if (!KNOWN.includes(name)) throw new Error(`the Dockerfile has an instruction "${line}"`);
  const flags: Record<string, string> = {};
  const value = rest.replace(/^(?:--[a-z-]+=\S+\s+)+/, (written) => {
    for (const [, flag = '', given = ''] of written.matchAll(/--([a-z-]+)=(\S+)/g))
      flags[flag] = given;
    return '';
  });
  return { name, value: value.trim(), flags };
};

/**
 * The instructions of a Dockerfile, in order.
 * @throws Error for a line that is not an instruction
 */
export const readDockerfile = (text: string): Instruction[] =>
  text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(instructionOf);

/** The words of an instruction in its exec form. @throws where it has another one */
export const execForm = ({ name, value }: Instruction): string[] => {
  const words: unknown = JSON.parse(value.replace(/^CMD /, ''));
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  throw new Error(`${name} is not in its exec form: ${value}`);
};
