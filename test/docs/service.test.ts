import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { hoursAgo } from '../serve/filled-lake.ts';
import { type Running, runService } from '../serve/running.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/service.md'), 'utf8');

/** Each command of the page, the status it says comes, and the fields it says the response has. */
const tour = [...page.matchAll(/```sh\n(curl .+)\n```\n\n(\d{3})(?:: (.+))?\n/g)].map(
  ([, command = '', status, fields = '']) => ({
    command,
    status: Number(status),
    fields: [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  }),
);

let running: Running;
beforeAll(async () => {
  running = await runService((into) => {
    into.video({
      id: 'tt_1',
      title: 'Slow cooking: the ramen of Ōsaka',
      user: 'mika.cooks',
      tags: ['ramen'],
      snapshots: [
        [hoursAgo(30), 100, 9],
        [hoursAgo(5), 5000, 400],
        [hoursAgo(1), 12_000, 900],
      ],
    });
    into.creator({ platform: 'tiktok', handle: 'mika.cooks', snapshots: [[hoursAgo(1), 700]] });
  });
});

/** Runs one command of the page as a reader's shell would; curl tells the status on stderr. */
const runCommand = async (command: string): Promise<{ status: number; body: string }> => {
  const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', command], {
    cwd: running.dataDir,
    env: {
      ...process.env,
      HOME: running.dataDir, // nobody's .curlrc
      URL: running.service.url,
      KEY: running.key,
      VIDEO: 'tt_1',
      HANDLE: 'mika.cooks',
    },
  });
  return { status: Number(/status (\d+)/.exec(stderr)?.[1]), body: stdout };
};

test('every command of the page says what comes', () => {
  const commands = page.split('\n').filter((line) => line.startsWith('curl '));
  expect(tour.map(({ command }) => command)).toEqual(commands);
});

test('every endpoint of the interface is on the page', async () => {
  const { body } = await running.get('/openapi.json');
  const missing = Object.keys(body.paths as object)
    .filter((path) => !path.startsWith('/webhooks/')) // docs/webhooks.md shows those
    .map((path) => path.replace(/\{\w+\}/g, '[^/?" ]+'))
    .filter((path) => !tour.some(({ command }) => new RegExp(`\\$URL${path}[?"]`).test(command)));
  expect(missing).toEqual([]);
});

test.each(tour)('$status: $command', async ({ command, status, fields }) => {
  const told = command.replace(/^curl /, 'curl -sS -w "%{stderr}status %{http_code}" ');
  const came = await runCommand(told);
  expect(came.status).toBe(status);
  const body: unknown = came.body === '' ? {} : JSON.parse(came.body);
  expect(Object.keys(body as object)).toEqual(fields);
});

test('the search of the page finds', async () => {
  const { body: found } = await running.get('/search?q=%22slow%20cooking%22%20ramen%20-instant');
  expect(found.items.map(({ id }) => id)).toEqual(['tt_1']);
});

test('an earlier instant shows what was known then', async () => {
  const { body: then } = await running.get('/feed/tiktok?asOf=2026-03-09T12:00:00Z');
  expect(then.items.map(({ views }) => views)).toEqual([100]);
});
