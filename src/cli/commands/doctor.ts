import { writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { resolve } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { Command } from 'commander';
import { type Config, explainConfig } from '../../base/config/config.ts';
import { EXIT, messageOf, UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { proxyFor } from '../../base/proxy.ts';
import { rebuildSearch } from '../../lake/search/search-index.ts';
import { type CheckResult, examine } from '../../run/maintenance/doctor.ts';
import { removeFuture } from '../../run/maintenance/remove-future.ts';
import { supportFacts } from '../../run/maintenance/support-bundle.ts';
import { type CliIo, configOf, configSources } from '../context/io.ts';
import { existingLake } from '../context/lakes.ts';
import { versionText } from '../context/version.ts';
import { backupHere } from './backup.ts';
import { restoreHere } from './restore.ts';

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

const OWN_FILE = 0o600;

/** Writes one file to attach to a report of a problem. */
export const writeBundle = (
  file: string | true,
  dataDir: string,
  findings: readonly CheckResult[],
  io: CliIo,
): string => {
  const path = resolve(io.cwd, file === true ? 'trendlake-bundle.json' : file);
  const bundle = {
    version: versionText(),
    ...supportFacts(dataDir, io.clock),
    settings: explainConfig(configSources(io)).filter(({ origin }) => origin !== 'default'),
    findings,
  };
  try {
    writeFileSync(path, `${JSON.stringify(bundle, null, 2)}\n`, { flag: 'wx', mode: OWN_FILE });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new UsageError(
      `The bundle was not written: ${path} already exists. Remove it, or name another file.`,
    );
  }
  return path;
};

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

const passed = (check: string, detail: string): CheckResult => ({
  check,
  ok: true,
  detail,
  advice: null,
});

const failed = (check: string, detail: string, advice: string | null = null): CheckResult => ({
  check,
  ok: false,
  detail,
  advice,
});

const serviceFinding = async (
  baseUrl: string | undefined,
  hasKey: boolean,
  proxies: Config['proxy'],
): Promise<CheckResult> => {
  if (baseUrl === undefined)
    return passed('service', 'TRENDLAKE_BASE_URL is not set: sync uses the built-in sandbox');
  if (!hasKey)
    return failed(
      'service',
      'TRENDLAKE_BASE_URL is set but TRENDLAKE_API_KEY is not',
      'Set it to your key.',
    );
  const proxy = proxyFor(baseUrl, proxies);
  const [target, setting, rest] =
    proxy === undefined
      ? [baseUrl, 'TRENDLAKE_BASE_URL', 'the key was not tried']
      : [
          `the proxy ${proxy.host}`,
          'HTTPS_PROXY, HTTP_PROXY',
          `${baseUrl} behind it was not tried`,
        ];
  try {
    await reach(proxy?.origin ?? baseUrl);
    return passed('service', `${target} can be reached; ${rest}`);
  } catch (error) {
    return failed(
      'service',
      `${target} cannot be reached: ${messageOf(error)}`,
      `Check ${setting} and the network.`,
    );
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
    .map(({ name, keyEnv }) =>
      failed('service', `${keyEnv}, which holds key ${name}, is not set`, 'Set it to the key.'),
    );
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
  if (lake === undefined)
    return [
      failed(
        'tables',
        'TRENDLAKE_TABLES_URL is set but TRENDLAKE_LAKE is not',
        'Set it to a name for this lake.',
      ),
    ];
  try {
    const { openStore } = await import('../../output/delta/open-store.ts');
    const { checkPublished } = await import('../../output/delta/check-published.ts');
    using store = await openStore(tablesUrl, io);
    const { tables, files, problems } = await checkPublished(dataDir, store, lake);
    const agree = `${tables} tables of ${files} files at ${store.url} agree with the manifest`;
    const advice = `\`${commandText('publish --full')}\` uploads what is missing and removes old files.`;
    return [
      problems.length === 0
        ? passed('tables', agree)
        : failed('tables', problems.join('; '), advice),
    ];
  } catch (error) {
    return [failed('tables', messageOf(error))];
  }
};

/** Checks that calls can be counted in the shared ledger. Empty if no address is set. */
const ledgerFindings = async (config: Config, io: CliIo): Promise<CheckResult[]> => {
  const { ledgerUrl } = config;
  if (ledgerUrl === undefined) return [];
  const { openLedgerDb } = await import('../../upstream/ledger-postgres/ledger-db.ts');
  const { checkLedger, durabilityWarnings, limitWarnings } = await import(
    '../../upstream/ledger-postgres/init-ledger.ts'
  );
  await using db = openLedgerDb(ledgerUrl, { clock: io.clock });
  try {
    await checkLedger(db);
    const warnings = [...(await durabilityWarnings(db)), ...(await limitWarnings(db))];
    const detail = [`calls are counted at ${db.shown}`, ...warnings].join('; ');
    return [passed('ledger', detail)];
  } catch (error) {
    return [failed('ledger', messageOf(error))];
  }
};

interface Options {
  bundle?: string | true;
  backup?: boolean;
  rebuildSearch?: boolean;
  restore?: string | true;
  removeFuture?: boolean;
}

const rebuild = (io: CliIo): void => {
  using lake = existingLake(io);
  const videos = rebuildSearch(lake);
  io.show({ videos }, () => `${videos} videos are searchable.`);
};

const dropFuture = (io: CliIo): void => {
  using lake = existingLake(io);
  const { removed, moved } = removeFuture(lake, io.clock.now());
  const total = Object.values(removed).reduce((sum, count) => sum + count, 0);
  io.show(
    { removed, moved },
    () =>
      `Removed ${total} rows of the future. ${moved.calls} calls and ${moved.runs} runs now have today's date and still count.`,
  );
};

/** All checks in printing order. A terminal shows the name of a slow one. */
async function* allFindings(config: Config, io: CliIo): AsyncGenerator<CheckResult> {
  const onCheck = (check: string): void => io.redraw(`doctor: checks the ${check}`);
  yield passed('settings', 'all settings are valid');
  yield* await serviceFindings(config);
  yield* examine(config, io.clock, onCheck);
  yield* await tablesFindings(config, io);
  yield* await ledgerFindings(config, io);
}

const check = async (io: CliIo, options: Options): Promise<void> => {
  const findings: CheckResult[] = [];
  for await (const finding of allFindings(configOf(io), io)) {
    findings.push(finding);
    if (io.isJson) continue;
    const { check, ok, detail, advice } = finding;
    io.out(
      `${ok ? 'ok ' : 'BAD'}  ${check.padEnd(14)} ${detail}${advice === null ? '' : `\n     ${advice}`}`,
    );
  }
  const ok = findings.every((finding) => finding.ok);
  const { bundle } = options;
  const path =
    bundle === undefined ? undefined : writeBundle(bundle, configOf(io).dataDir, findings, io);
  if (io.isJson) io.json({ ok, findings, ...(path === undefined ? {} : { path }) });
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
      const { restore } = options;
      if (options.rebuildSearch === true) return rebuild(io);
      if (options.removeFuture === true) return dropFuture(io);
      if (options.backup === true) return backupHere(io);
      if (restore !== undefined) return restoreHere(restore === true ? undefined : restore, io);
      return check(io, options);
    });
};
