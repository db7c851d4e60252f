import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { boundedQuery } from '../../../src/serve/mcp/query-tool.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'by hand', version: '1' },
  },
};

test('ends by itself when stdin does', async () => {
  const ended = { dataDir: freshLake().dataDir, input: Readable.from([]) };
  expect(await runCommand(['mcp'], ended)).toMatchObject({ code: 0, out: '' });
});

test('stdout has protocol messages only; an invalid message is skipped', async () => {
  const input = new PassThrough();
  const answered: string[] = [];
  const running = runCommand(['mcp'], {
    dataDir: freshLake().dataDir,
    input,
    onOut: (line) => {
      answered.push(line);
      input.end();
    },
  });
  input.write(`this is no message\n{"half": \n{"a": 1}\n${JSON.stringify(INITIALIZE)}\n`);
  const { code, err } = await running;
  expect(code).toBe(0);
  expect(answered.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { id: 1, result: { serverInfo: { name: 'trendlake' }, capabilities: { tools: {} } } },
  ]);
  expect(err).toMatch(/^mcp: answering.*\nmcp: skipped input that is not a JSON-RPC message$/);
});

test('without a lake it says how to make one', async () => {
  const { code, out, err } = await runCommand(['mcp'], {
    dataDir: freshFolder(),
    input: Readable.from([]),
  });
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/There is no lake at .*trendlake -- sync/);
});

test('on a terminal it says that it is not for people', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const { code, err } = await runCommand(['mcp'], { dataDir: freshLake().dataDir, input });
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/stdin is a terminal.*docs\/guides\/assistants\.md/),
  ]);
});

const ENDLESS = `with recursive n (i) as (select 1 union all select i + 1 from n)
  select count(*) from n`;
const query = (bounds?: Parameters<typeof boundedQuery>[2]) =>
  boundedQuery(
    freshLake().dataDir,
    { clock: systemClock, signal: new AbortController().signal },
    bounds,
  );

test('a query that takes too long is ended, and says what would be faster', async () => {
  const run = query({ atOnce: 1, longestMs: 200, mostCharacters: 1000 });
  const { signal } = new AbortController();
  const ended = run({ sql: ENDLESS, limit: 1, signal });
  await expect(ended).rejects.toThrow(/longer than 0\.2 s and was ended\. Add a filter/);
});

test('a query that nobody waits for is ended', async () => {
  const asked = new AbortController();
  const ended = query()({ sql: ENDLESS, limit: 1, signal: asked.signal });
  asked.abort(new Error('cancelled'));
  await expect(ended).rejects.toThrow(/cancelled/);
});
