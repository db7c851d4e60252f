import type { Command } from 'commander';
import { configPath, explainConfig } from '../../base/config/config.ts';
import { docsPage } from '../../base/installation.ts';
import { type CliIo, configOf, configSources } from '../context/io.ts';

const HELP = `
Examples:
  trendlake config check          the settings that are set
  trendlake config check --all    also the defaults

Flags win over the environment, the environment over the file, the file over the defaults. Keys and
passwords are hidden. ${docsPage('reference/settings.md')} lists every setting.`;

const check = (all: boolean, io: CliIo): void => {
  const sources = configSources(io);
  const settings = explainConfig(sources);
  const keys = configOf(io).keys.map(({ name, keyEnv, apiKey }) => ({
    name,
    keyEnv,
    isSet: apiKey !== undefined,
  }));
  if (io.isJson) {
    io.json({ ok: true, settings, keys });
    return;
  }
  const shown = settings.filter(
    ({ origin, value }) => origin !== 'default' || (all && value !== null),
  );
  const rows = shown.map(({ name, value, origin, where }) => [
    name,
    value,
    origin === 'file' ? origin : where,
  ]);
  io.out(io.table(['setting', 'value', 'from'], rows));
  if (shown.some(({ origin }) => origin === 'file')) io.out(`file: ${configPath(sources)}`);
  for (const { name, keyEnv, isSet } of keys)
    io.out(`Key ${name}: ${keyEnv} is ${isSet ? 'set' : 'not set'}.`);
  io.out('All settings are valid.', 'good');
};

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', HELP);
  command
    .command('check')
    .description('check every setting and show its value and origin')
    .option('--all', 'also show defaults')
    .option('--json', 'print one JSON document with every setting')
    .action(({ all = false }: { all?: boolean }) => check(all, io));
};
