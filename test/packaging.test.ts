import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { execForm, readDockerfile } from '../prove/image/dockerfile.ts';
import { SETTINGS } from '../src/base/config/settings.ts';
import { COMMANDS } from '../src/cli/commands.ts';

// Files shipped for operators. `npm run prove image` takes the steps of the Dockerfile.

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const UNITS = join(root, 'packaging', 'systemd');
const ANALYZE = 'systemd-analyze'; // of the system, where there is one
const hasSystemd = spawnSync(ANALYZE, ['--version']).status === 0;
const isCommand = (word: string | undefined): boolean => COMMANDS.some(({ name }) => name === word);

const units = readdirSync(UNITS).filter((name) => /\.(service|timer)$/.test(name));

test.runIf(hasSystemd)('the units are ones that systemd takes', async () => {
  const paths = units.map((name) => join(UNITS, name));
  const { stderr } = await promisify(execFile)(ANALYZE, ['verify', '--man=no', ...paths]);
  expect(stderr.split('\n').filter((line) => line.includes('trendlake'))).toEqual([]);
});

test('units start commands that there are, and each says what happens when it fails', () => {
  const index = read('packaging/systemd/README.md');
  for (const name of units) {
    const unit = readFileSync(join(UNITS, name), 'utf8');
    const command = /^ExecStart=\/usr\/bin\/env trendlake (\w+)/m.exec(unit)?.[1];
    expect(index).toContain(`(${name})`);
    if (command === undefined) continue;
    expect([name, isCommand(command)]).toEqual([name, true]);
    expect(unit).toContain('OnFailure=trendlake-failed@%n.service');
    expect(unit).toContain('ProtectSystem=strict');
    expect(unit).toMatch(/^User=trendlake$/m);
  }
  expect(units).toContain('trendlake-failed@.service');
});

test('the unit of serve does not load the upstream key, those that call the upstream do', () => {
  const filesOf = (unit: string): string[] =>
    [...read(`packaging/systemd/${unit}`).matchAll(/^EnvironmentFile=-?(.+)$/gm)].map(
      ([, path = '']) => path,
    );
  expect(filesOf('trendlake-serve.service')).toEqual(['/etc/trendlake.env']);
  for (const unit of ['trendlake.service', 'trendlake-sync.service'])
    expect(filesOf(unit)).toContain('/etc/trendlake-upstream.env');
  const unset = /^UnsetEnvironment=(.+)$/m.exec(read('packaging/systemd/trendlake-serve.service'));
  expect(unset?.[1]?.split(' ')).toContain(SETTINGS.apiKey.env);
});

test('the image runs a command as its own user, from pinned bases', () => {
  const instructions = readDockerfile(read('Dockerfile'));
  const last = (name: string) => instructions.findLast((one) => one.name === name);
  const bases = instructions.filter(({ name }) => name === 'FROM');
  for (const { value } of bases)
    expect(value).toMatch(/^node:24-[a-z]+-slim@sha256:[0-9a-f]{64}( AS \w+)?$/);
  const { devDependencies } = JSON.parse(read('package.json')) as {
    devDependencies: Record<string, string>;
  };
  const s3 = `@aws-sdk/client-s3@${devDependencies['@aws-sdk/client-s3']}`;
  expect(instructions.some(({ name, value }) => name === 'RUN' && value.includes(s3))).toBe(true);
  expect(last('USER')?.value).toBe('node');
  expect(last('VOLUME')?.value).toBe('/data');
  expect(execForm(last('ENTRYPOINT') ?? fail('ENTRYPOINT'))).toEqual(['trendlake']);
  expect(execForm(last('CMD') ?? fail('CMD')).every(isCommand)).toBe(true);
  const [, checks] = execForm({
    ...(last('HEALTHCHECK') ?? fail('HEALTHCHECK')),
    value: last('HEALTHCHECK')?.value.replace(/^[^[]*/, '') ?? '',
  });
  expect(isCommand(checks)).toBe(true);
});

const fail = (what: string): never => {
  throw new Error(`the Dockerfile has no ${what}`);
};

interface Service {
  readonly command: readonly string[];
  readonly user: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly volumes: readonly string[];
  readonly env_file: readonly string[];
  readonly healthcheck?: { readonly test: readonly unknown[] };
}

test('compose runs the daemon and the service without root, on a root that cannot be written', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Readonly<Record<'schedule' | 'serve', Service>>;
  };
  expect(Object.keys(services)).toEqual(['schedule', 'serve']);
  for (const service of Object.values(services)) {
    expect(isCommand(service.command[0])).toBe(true);
    expect(service).toMatchObject({ user: 'node', read_only: true, cap_drop: ['ALL'] });
    expect(service.volumes).toEqual(['lake:/data']);
    for (const word of service.healthcheck?.test ?? []) expect(word).toBeTypeOf('string');
  }
  expect(services.serve.env_file).toEqual(['.env']);
  expect(services.schedule.env_file).toEqual(['.env', 'upstream.env']);
  for (const name of services.schedule.env_file)
    for (const list of ['.gitignore', '.dockerignore'])
      expect(read(list).split('\n')).toContain(name);
});

test('what the build needs is not left out of its context', () => {
  const ignored = read('.dockerignore').split('\n');
  const needed = ['src', 'jobs', 'schema', 'tools', 'docs', 'examples', 'package-lock.json'];
  expect(needed.filter((name) => !existsSync(join(root, name)) || ignored.includes(name))).toEqual(
    [],
  );
});
