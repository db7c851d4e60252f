import { describe, expect, test } from 'vitest';
import { CliIo } from '../../../src/cli/context/io.ts';
import { run } from '../../../src/cli/main.ts';
import { textTable } from '../../../src/cli/text/text-table.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { surroundings } from '../../support/surroundings.ts';

test('plain ASCII where that is all there is: a table keeps its shape', () => {
  const { around, out } = surroundings({ ascii: true });
  new CliIo(around).out(textTable(['name'], [['x'.repeat(70)]], { columns: 20 }));
  expect(out[0]?.split('\n')).toEqual([
    '+------------------+',
    '| name             |',
    '+------------------+',
    `| ${'x'.repeat(15)}~ |`,
    '+------------------+',
  ]);
});

describe('colours', () => {
  test('stand around what is harmless, where the stream has them', () => {
    const { around, out, err } = surroundings({ colours: { out: true, err: false } });
    const io = new CliIo(around);
    io.out('a\u001b[2Jb', 'heading');
    io.err('no', 'bad');
    expect([out, err]).toEqual([['\u001b[1ma\\u001b[2Jb\u001b[0m'], ['no']]);
  });
  test('are nowhere else', () => {
    const { around, out } = surroundings();
    new CliIo(around).out('Last runs', 'heading');
    expect(out).toEqual(['Last runs']);
  });
});

test('a line that is drawn over goes before anything else is said', () => {
  const { around, drawn } = surroundings({ isTerminal: true });
  const io = new CliIo(around);
  io.redraw('half way \u009b1A');
  io.err('stopped');
  expect(drawn).toEqual(['\r\u001b[2Khalf way \\u009b1A', '\r\u001b[2K']);
});

describe('a command that only reads asks for no signal: either one ends it at once', () => {
  test.each([
    ['status'],
    ['plan'],
    ['search', 'dance'],
    ['events'],
    ['events', '--dry-run'],
    ['doctor'],
    ['doctor', '--rebuild-search'],
    ['keys', 'list'],
    ['webhooks', 'list'],
    ['completion', 'bash'],
  ])('%s %s', async (...argv) => {
    const { dataDir } = freshLake();
    const { around, asked, err } = surroundings({
      cwd: freshFolder(),
      env: { TRENDLAKE_DATA_DIR: dataDir },
    });
    await run(argv, around);
    expect([asked.signal, err.filter((line) => line.includes('unexpected'))]).toEqual([false, []]);
  });
});
