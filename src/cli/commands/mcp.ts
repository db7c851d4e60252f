import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { messageOf, UsageError } from '../../base/errors.ts';
import { docsPage, packageFolder } from '../../base/installation.ts';
import { openLakeForReading } from '../../lake/open.ts';
import { lakeServer } from '../../serve/mcp/lake-server.ts';
import { boundedQuery } from '../../serve/mcp/query-tool.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { assistantWatch } from '../context/save-watches.ts';
import { versionText } from '../context/version.ts';
import { whileOpen } from '../context/while-open.ts';

const EXAMPLES = `
Examples:
  trendlake mcp --data-dir /srv/trendlake/data     started by the assistant, not by you

Speaks the Model Context Protocol on stdin and stdout until stdin ends: tools for search, feed, trends,
growth, forecast, creators, hashtags, events, analyze, watches and read-only SQL; the data dictionary
as a resource. It writes watches only, and makes no calls. What an assistant's configuration needs: ${docsPage('guides/assistants.md')}.`;

/** Writes whole protocol lines to stdout, byte for byte. */
const protocolOut = (io: CliIo): Writable =>
  new Writable({
    decodeStrings: false,
    write: (text: string | Buffer, _, done) => {
      io.data(text.toString().replace(/\n$/, ''));
      done();
    },
  });

const readPage = (name: string): Promise<string> =>
  readFile(join(packageFolder(), 'docs', name), 'utf8');

/** Errors of the protocol itself, such as a malformed message. */
const faultOf = (error: Error): string =>
  error.name === 'ZodError' ? 'skipped input that is not a JSON-RPC message' : messageOf(error);

const run = async (io: CliIo): Promise<void> => {
  const { dataDir, listItems } = configOf(io);
  const { input, signal } = io;
  if (input === undefined || input.isTTY === true)
    throw new UsageError(
      `mcp speaks a protocol on stdin, and stdin is a terminal: an assistant starts it. ${docsPage('guides/assistants.md')} shows its configuration.`,
    );
  const lake = openLakeForReading(dataDir); // fails early if the lake is missing
  lake.close();
  io.note(`mcp: answering from ${lake.path} until stdin ends.`);
  const addWatch = assistantWatch(io);
  const deps = {
    dataDir,
    version: versionText(),
    clock: io.clock,
    readPage,
    listItems,
    addWatch,
  };
  const runSql = boundedQuery(dataDir, io);
  const ended = Promise.race([once(input, 'end', { signal }), once(input, 'close', { signal })]);
  const handle = serveStdio(() => lakeServer({ ...deps, runSql }), {
    transport: new StdioServerTransport(input, protocolOut(io)),
    onerror: (error) => io.err(`mcp: ${faultOf(error)}`),
  });
  try {
    await whileOpen(io, dataDir, 'mcp', () => ended);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await handle.close();
  }
};

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', EXAMPLES).action(() => run(io));
};
