import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, matchesGlob } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';
import { execForm, type Instruction, readDockerfile } from './image/dockerfile.ts';

// Takes the steps of the Dockerfile in empty folders, one for each stage, without an engine: copies what
// .dockerignore leaves, runs each RUN, then tries the command that came out: version, a sync, the health
// checks of the image and of compose.yaml. What only an engine can show (users, mounts, the base image)
// is not tried.
//
//   npm run prove image

const ROOT = join(import.meta.dirname, '..');
const COMMIT = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT }).toString().trim();
const folder = mkdtempSync(join(tmpdir(), 'trendlake image '));

interface Stage {
  readonly root: string;
  readonly env: Record<string, string>;
  cwd: string;
}

const done = (what: string): void => void process.stdout.write(`${what}: good\n`);

/** The environment of a step: this machine's programs and its way to the registry, no settings. */
const envOf = (stage: Stage): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('TRENDLAKE_')),
  ),
  ...stage.env,
});

const run = (command: string, args: readonly string[], stage: Stage): string => {
  try {
    const options = { cwd: stage.cwd, env: envOf(stage), encoding: 'utf8' as const };
    return execFileSync(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`);
  }
};

/** Files handed to the build: committed ones that .dockerignore does not name. */
const context = (): string[] => {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT }).toString().split('\0');
  return files.filter(
    (file) =>
      file !== '' &&
      !ignored.some((one) => file === one || file.startsWith(`${one}/`) || matchesGlob(file, one)),
  );
};

const copy = ({ value, flags }: Instruction, stage: Stage, stages: Map<string, Stage>): void => {
  const [from = '', to = ''] = value.split(/\s+/);
  const source = flags.from === undefined ? undefined : stages.get(flags.from);
  if (source === undefined) {
    for (const file of context()) cpSync(join(ROOT, file), join(stage.cwd, file));
    return;
  }
  for (const path of globSync(join(source.root, from)))
    cpSync(path, join(stage.cwd, to, basename(path)));
};

/** A command of the image with its folders and its user here. */
const here = (command: string, stage: Stage): string =>
  command
    .replaceAll(' /data', ` "${stage.root}/data"`)
    .replace('node:node', `${process.getuid?.()}:${process.getgid?.()}`);

const build = (instructions: readonly Instruction[]): Stage => {
  const stages = new Map<string, Stage>();
  let stage: Stage = { root: folder, env: {}, cwd: folder };
  const words = (text: string): string =>
    text.replaceAll('$PATH', process.env.PATH ?? '').replaceAll('/opt/', `${stage.root}/opt/`);
  for (const instruction of instructions) {
    const { name, value } = instruction;
    if (name === 'FROM') {
      const [, as = 'image'] = / AS (\w+)$/.exec(value) ?? [];
      const root = join(folder, as);
      stage = { root, env: {}, cwd: root };
      stages.set(as, stage);
    } else if (name === 'WORKDIR') {
      stage.cwd = join(stage.root, value);
      mkdirSync(stage.cwd, { recursive: true });
    } else if (name === 'COPY') copy(instruction, stage, stages);
    else if (name === 'ARG') stage.env[value.replace(/=.*/, '')] = COMMIT;
    else if (name === 'ENV')
      for (const [, variable = '', given = ''] of value.matchAll(/(\w+)=(\S+)/g))
        stage.env[variable] = words(given).replace(/^\/data/, join(stage.root, 'data'));
    else if (name === 'RUN') {
      run('sh', ['-c', here(value, stage)], stage);
      done(`RUN ${value}`);
    }
  }
  return stage;
};

const theOne = (instructions: readonly Instruction[], name: string): string[] => {
  const found = instructions.findLast((instruction) => instruction.name === name);
  if (found === undefined) throw new Error(`the Dockerfile has no ${name}`);
  return execForm({ ...found, value: found.value.replace(/^[^[]*/, '') });
};

const tryService = async (
  stage: Stage,
  command: string,
  [health = '', ...args]: readonly string[],
): Promise<void> => {
  const compose = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'));
  const check: readonly string[] = compose.services.serve.healthcheck.test;
  const child = spawn(command, ['serve', '--port', '0', '--json'], {
    cwd: stage.cwd,
    env: envOf(stage),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { url } = JSON.parse(line) as { url: string };
      run(process.execPath, ['-e', (check.at(-1) ?? '').replace('8787', new URL(url).port)], stage);
      run(health, args, stage);
      done(`HEALTHCHECK ${health} ${args.join(' ')}`);
      break;
    }
  } finally {
    child.kill();
    await once(child, 'exit');
  }
};

try {
  const instructions = readDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const stage = build(instructions);
  Object.assign(stage.env, { TRENDLAKE_GROWTH_CALLS: '5', TRENDLAKE_CREATOR_CALLS: '2' });
  const [entry = ''] = theOne(instructions, 'ENTRYPOINT');
  const version = run(entry, ['--version'], stage).trim();
  if (!version.endsWith(`(${COMMIT.slice(0, 7)})`)) throw new Error(`--version says ${version}`);
  done(`${entry} --version says ${version}`);
  run(entry, ['sync'], stage);
  done(`${entry} sync`);
  await tryService(stage, entry, theOne(instructions, 'HEALTHCHECK'));
  done('the health check of compose.yaml against the service');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
