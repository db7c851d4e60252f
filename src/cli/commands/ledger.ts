import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { docsPage } from '../../base/installation.ts';
import { type CliIo, configOf } from '../context/io.ts';

const EXAMPLES = `
Examples:
  export TRENDLAKE_LEDGER_URL=postgres://trendlake:<password>@db.example/trendlake
  trendlake ledger init

Name a primary and its standbys as several hosts: postgres://user:<password>@one,two/trendlake. The
tables are in the schema trendlake unless ?schema=<name> names another. See ${docsPage('guides/many-machines.md')}.`;

const DID = {
  nothing: 'created. Calls, months, hints and slots are now counted there',
  older: 'upgraded to this version. Counts are kept',
  current: 'already up to date',
} as const;

const init = async (io: CliIo): Promise<void> => {
  const { ledgerUrl } = configOf(io);
  if (ledgerUrl === undefined)
    throw new UsageError(
      'TRENDLAKE_LEDGER_URL is not set. Set it to postgres://user:password@host/database.',
    );
  const { openLedgerDb } = await import('../../upstream/ledger-postgres/ledger-db.ts');
  const { initLedger } = await import('../../upstream/ledger-postgres/init-ledger.ts');
  await using db = openLedgerDb(ledgerUrl, { clock: io.clock });
  const result = await initLedger(db);
  io.show(
    result,
    () =>
      `Ledger at ${result.server}, schema ${result.schema}, version ${result.version}: ${DID[result.was]}.`,
  );
  for (const warning of result.warnings) io.err(`warning: ${warning}`);
};

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', EXAMPLES);
  command
    .command('init')
    .description('create its tables in PostgreSQL if they do not exist')
    .option('--json', 'print one JSON document')
    .action(() => init(io));
};
