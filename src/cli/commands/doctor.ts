import { connect as connectTcp } from 'node:net';
import { resolve } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { Command } from 'commander';
import type { Config } from '../../base/config/config.ts';
import { EXIT, messageOf } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { proxyFor } from '../../base/proxy.ts';
import { openLake, openLakeForReading } from '../../lake/open.ts';
import { rebuildSearch } from '../../lake/search/search-index.ts';
import { backupLake } from '../../run/maintenance/backup.ts';
import { type CheckResult, examine } from '../../run/maintenance/doctor.ts';
import { removeFuture } from '../../run/maintenance/remove-future.ts';
import { restoreLake } from '../../run/maintenance/restore.ts';
import { unitsFindings } from '../../run/maintenance/units-finding.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { refuseWhileOpen } from '../context/while-open.ts';
import { mebibytes } from '../text/figures.ts';
import { writeBundle } from './doctor-bundle.ts';

const HELP = `
Checks settings, database, references, search index, Parquet files, backups and leftovers. With
TRENDLAKE_TABLES_URL it checks the published tables, with TRENDLAKE_LEDGER_URL the shared ledger.
It also opens a connection to the service. It sends no request, spends no call and does not try the
key. It repairs nothing.

  trendlake doctor --bundle            write trendlake-bundle.json: versions, settings, runs, sizes
  trendlake doctor --rebuild-search    rebuild the search index from the titles
  trendlake doctor --backup            copy the lake to <data dir>/backups, check it, keep seven
  trendlake doctor --restore           restore the newest backup; the current lake is kept
  trendlake doctor --restore FILE      restore this backup

Exit codes: 0 all checks pass; 1 a check fails; 2 a setting is invalid.`;

const PATIENCE_MS = 10_000;

/** Resolves when a connection to the address opens. Sends nothing. */
const reach = (baseUrl: string): Promise<void> =>
  new Promise((done, fail) => {
    const { protocol, hostname, port } = new URL(baseUrl);
    const secure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const options = { host, port: Number(port || (secure ? 443 : 80)) };
    const socket = secure ? connectTls({ ...options, servername: host }) : connectTcp(options);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no connection within 10 s')));
    socket.once('error', fail);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      socket.destroy();
      done();
    });
  });

const serviceFinding = async (
  baseUrl: string | undefined,
  hasKey: boolean,
  proxies: Config['proxy'],
): Promise<CheckResult> => {
  const check = 'service';
  if (baseUrl === undefined)
    return {
      check,
      ok: true,
      detail: 'TRENDLAKE_BASE_URL is not set: sync uses the built-in sandbox',
      advice: null,
    };
  if (!hasKey)
    return {
      check,
      ok: false,
      detail: 'TRENDLAKE_BASE_URL is set but TRENDLAKE_API_KEY is not',
      advice: 'Set it to your key.',
    };
  const proxy = proxyFor(baseUrl, proxies);
  try {
    await reach(proxy?.origin ?? baseUrl);
    return {
      check,
      ok: true,
      detail:
        proxy === undefined
          ? `${baseUrl} can be reached; the key was not tried`
          : `the proxy ${proxy.host} can be reached; ${baseUrl} behind it was not tried`,
      advice: null,
    };
  } catch (error) {
    return {
      check,
      ok: false,
      detail: `${proxy === undefined ? baseUrl : `the proxy ${proxy.host}`} cannot be reached: ${messageOf(error)}`,
      advice: `Check ${proxy === undefined ? 'TRENDLAKE_BASE_URL' : 'HTTPS_PROXY, HTTP_PROXY'} and the network.`,
    };
  }
};

/** Checks that the service of each key is reachable and its key is set. */
const serviceFindings = async ({
  baseUrl,
  apiKey,
  keys,
  proxy,
}: Config): Promise<CheckResult[]> => {
  if (keys.length === 0) return [await serviceFinding(baseUrl, apiKey !== undefined, proxy)];
  const unset = keys
    .filter((key) => key.apiKey === undefined)
    .map(({ name, keyEnv }) => ({
      check: 'service',
      ok: false,
      detail: `${keyEnv}, which holds key ${name}, is not set`,
      advice: 'Set it to the key.',
    }));
  const addresses = [...new Set(keys.map((key) => key.baseUrl))];
  const reached = await Promise.all(
    addresses.map((address) => serviceFinding(address, true, proxy)),
  );
  return [...unset, ...reached];
};

/** Checks that the published tables show the last export. Empty if no address is set. */
const tablesFindings = async (config: Config, io: CliIo): Promise<CheckResult[]> => {
  const { tablesUrl, lake, dataDir } = config;
  if (tablesUrl === undefined) return [];
  const check = 'tables';
  if (lake === undefined)
    return [
      {
        check,
        ok: false,
        detail: 'TRENDLAKE_TABLES_URL is set but TRENDLAKE_LAKE is not',
        advice: 'Set it to a name for this lake.',
      },
    ];
  try {
    const { openStore } = await import('../../output/delta/open-store.ts');
    const { checkPublished } = await import('../../output/delta/check-published.ts');
    using store = await openStore(tablesUrl, io);
    const { tables, files, problems } = await checkPublished(dataDir, store, lake);
    const ok = problems.length === 0;
    const agree = `${tables} tables of ${files} files at ${store.url} agree with the manifest`;
    const advice = `\`${commandText('publish --full')}\` uploads what is missing and removes old files.`;
    return [{ check, ok, detail: ok ? agree : problems.join('; '), advice: ok ? null : advice }];
  } catch (error) {
    return [{ check, ok: false, detail: messageOf(error), advice: null }];
  }
};

/** Checks that calls can be counted in the shared ledger. Empty if no address is set. */
const ledgerFindings = async (config: Config, io: CliIo): Promise<CheckResult[]> => {
  const { ledgerUrl } = config;
  if (ledgerUrl === undefined) return [];
  const check = 'ledger';
  const { addressOf } = await import('../../upstream/ledger-postgres/shared-ledgers.ts');
  const { LedgerDb } = await import('../../upstream/ledger-postgres/ledger-db.ts');
  const { checkLedger, durabilityWarnings, limitWarnings } = await import(
    '../../upstream/ledger-postgres/init-ledger.ts'
  );
  await using db = new LedgerDb(addressOf(ledgerUrl), { clock: io.clock });
  try {
    await checkLedger(db);
    const warnings = [...(await durabilityWarnings(db)), ...(await limitWarnings(db))];
    const detail = [`calls are counted at ${db.shown}`, ...warnings].join('; ');
    return [{ check, ok: true, detail, advice: null }];
  } catch (error) {
    return [{ check, ok: false, detail: messageOf(error), advice: null }];
  }
};

interface Options {
  bundle?: string | true;
  backup?: boolean;
  rebuildSearch?: boolean;
  restore?: string | true;
  removeFuture?: boolean;
  json?: boolean;
}

const backup = async (dataDir: string, options: Options, io: CliIo): Promise<void> => {
  openLakeForReading(dataDir).close();
  using lake = openLake(dataDir);
  const backup = await backupLake(lake, { clock: io.clock, signal: io.signal });
  if (options.json === true) io.json(backup);
  else io.out(`Backup ${backup.path} (${mebibytes(backup.bytes)}), checked.`);
};

const searchAnew = (dataDir: string, options: Options, io: CliIo): void => {
  openLakeForReading(dataDir).close();
  using lake = openLake(dataDir);
  const videos = rebuildSearch(lake);
  if (options.json === true) io.json({ videos });
  else io.out(`${videos} videos are searchable.`);
};

const restore = async (dataDir: string, options: Options, io: CliIo): Promise<void> => {
  const file = typeof options.restore === 'string' ? resolve(io.cwd, options.restore) : undefined;
  refuseWhileOpen(dataDir);
  const restored = await restoreLake(dataDir, file, io.clock);
  if (options.json === true) io.json(restored);
  else
    io.out(
      `Restored ${restored.from}.${restored.setAside === null ? '' : ` The former files are ${restored.setAside}.`} Start \`serve\` and \`schedule\` again where they run, and run \`${commandText('export --full')}\` so that the Parquet files agree.`,
    );
  if (restored.callsCarried === null)
    io.err(
      `The calls made since the backup could not be read: the service may count more than \`${commandText('status')}\` says this month.`,
    );
};

const dropFuture = (dataDir: string, options: Options, io: CliIo): void => {
  openLakeForReading(dataDir).close();
  using lake = openLake(dataDir);
  const { removed, moved } = removeFuture(lake, io.clock.now());
  if (options.json === true) {
    io.json({ removed, moved });
    return;
  }
  const total = (rows: Readonly<Record<string, number>>): number =>
    Object.values(rows).reduce((sum, count) => sum + count, 0);
  io.out(
    `Removed ${total(removed)} rows of the future. ${moved.calls} calls and ${moved.runs} runs now have today's date and still count.`,
  );
};

/** All checks in printing order. A terminal shows the name of a slow one. */
async function* allFindings(config: Config, io: CliIo): AsyncGenerator<CheckResult> {
  const onCheck = (check: string): void => io.redraw(`doctor: checks the ${check}`);
  yield { check: 'settings', ok: true, detail: 'all settings are valid', advice: null };
  yield* await serviceFindings(config);
  yield* examine(config.dataDir, io.clock, onCheck);
  yield* unitsFindings(config);
  yield* await tablesFindings(config, io);
  yield* await ledgerFindings(config, io);
}

const check = async (io: CliIo, options: Options): Promise<void> => {
  const findings: CheckResult[] = [];
  for await (const finding of allFindings(configOf(io), io)) {
    findings.push(finding);
    if (options.json === true) continue;
    const { check, ok, detail, advice } = finding;
    io.out(
      `${ok ? 'ok ' : 'BAD'}  ${check.padEnd(14)} ${detail}${advice === null ? '' : `\n     ${advice}`}`,
    );
  }
  const ok = findings.every((finding) => finding.ok);
  io.redraw('');
  const { bundle } = options;
  const path =
    bundle === undefined ? undefined : writeBundle(bundle, configOf(io).dataDir, findings, io);
  if (options.json === true) io.json({ ok, findings, ...(path === undefined ? {} : { path }) });
  else if (path !== undefined)
    io.out(`Written to ${path}. It holds no secrets. Read it before you attach it.`);
  io.exitCode = ok ? EXIT.complete : EXIT.failed;
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--rebuild-search', 'rebuild the search index')
    .option('--bundle [file]', 'also write one file to attach to a report of a problem')
    .option('--backup', 'make a checked backup now')
    .option('--restore [file]', 'replace the lake with a backup (default: the newest)')
    .option('--remove-future', 'remove rows that a clock that was ahead has written')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      if (options.rebuildSearch === true) return searchAnew(configOf(io).dataDir, options, io);
      if (options.removeFuture === true) return dropFuture(configOf(io).dataDir, options, io);
      if (options.backup === true) return backup(configOf(io).dataDir, options, io);
      if (options.restore !== undefined) return restore(configOf(io).dataDir, options, io);
      return check(io, options);
    });
};
