import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { type Config, readConfig, SCHEMA, type SettingName } from '../../base/config/config.ts';
import { CONFIG_FILE } from '../../base/config/config-file.ts';
import { SETTINGS } from '../../base/config/settings.ts';
import { TIER_NAMES } from '../../base/config/tiers.ts';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import { commandText, docsPage, packageFolder } from '../../base/installation.ts';
import type { CliIo } from '../context/io.ts';
import { Questions } from '../context/questions.ts';

const HELP = `
Asks for the address of the service, your key, its tier and the platforms, tries them with one call
(a search, counted like every call) or a probe, and writes them to ${CONFIG_FILE} in this folder, which
nobody but you may read. Nothing is written where the call fails.

Examples:
  trendlake init
  printf '%s\\n' https://api.example.com/v1 "$KEY" beta "" | trendlake init --no-try`;

const OWN_FILE = 0o600;
const MOST_TRIES = 3;
const PROBE_CALLS = 30;
const PROBE_QUESTION = `Probe how the service speaks, with at most ${PROBE_CALLS} calls (yes or no) [no]:`;

type Answers = Partial<Record<SettingName, string>>;

/** Asks until the answer is a valid setting. An empty answer means `usual`. */
const askFor = async (
  io: CliIo,
  questions: Questions,
  name: SettingName,
  { question, usual, isSecret = false }: { question: string; usual?: string; isSecret?: boolean },
): Promise<string> => {
  const prompt = `${question}${usual === undefined ? '' : ` [${usual}]`}:`;
  for (let tries = 1; ; tries++) {
    const answer = (await questions.ask(prompt, { isSecret })) || (usual ?? '');
    const parsed = SETTINGS[name].read(answer);
    if ('value' in parsed) return answer;
    if (tries >= MOST_TRIES)
      throw new UsageError(`Nothing was written: ${question} must be ${parsed.expected}.`);
    io.err(`It must be ${parsed.expected}.`);
  }
};

const QUESTIONS = [
  ['baseUrl', { question: 'Address of the service, ending in /v1' }],
  ['apiKey', { question: 'Key (not shown)', isSecret: true }],
  ['tier', { question: `Tier: ${TIER_NAMES.join(', ')}`, usual: 'beta' }],
  ['ratePerMinute', { question: 'Calls per minute' }],
  ['callsPerMonth', { question: 'Calls per month' }],
  ['platforms', { question: 'Platforms', usual: PLATFORMS.join(',') }],
] as const;

const askAll = async (
  io: CliIo,
  isTried: boolean,
): Promise<{ answers: Answers; isProbed: boolean }> => {
  using questions = new Questions(io);
  const answers: Answers = {};
  for (const [name, question] of QUESTIONS) {
    const isOfTier = name === 'ratePerMinute' || name === 'callsPerMonth';
    if (isOfTier && answers.tier !== 'enterprise') continue;
    answers[name] = await askFor(io, questions, name, question);
  }
  const answer = isTried ? await questions.ask(PROBE_QUESTION).catch(() => '') : '';
  return { answers, isProbed: /^y(es)?$/i.test(answer) };
};

/** Tries address and key: with one call, or with a probe, whose settings it returns. */
const trySettings = async (
  config: Config,
  isProbed: boolean,
  io: CliIo,
): Promise<UpstreamSettings> => {
  const { probeService } = await import('../../run/run/probe-service.ts');
  const { requestOnce } = await import('../../run/run/request-once.ts');
  const { openSession } = await import('../context/session.ts');
  await using session = await openSession(config, io, { report: io.note });
  const paging = { limit: 1, page: 1, offset: 0 };
  try {
    if (!isProbed) {
      await requestOnce(session, 'search', { kind: 'search', q: 'a', ...paging });
      return {};
    }
    const probed = await probeService({ ...session, maxCalls: PROBE_CALLS });
    for (const [part, question] of probed.problems) io.err(`Not found: ${part}. ${question}`);
    return probed.upstream;
  } catch (error) {
    throw new UsageError(
      `Nothing was written: the service could not be called with these settings. ${messageOf(error)} Try again, or skip the test call with --no-try.`,
      { cause: error },
    );
  }
};

/** Address of the JSON Schema for editors: relative below the configuration's folder, else a file URL. */
const schemaFor = (path: string): string => {
  const schema = join(packageFolder(), 'trendlake.config.schema.json');
  const near = relative(dirname(path), schema).replaceAll('\\', '/');
  return /^(\.\.|[A-Za-z]:|\/)/.test(near) ? pathToFileURL(schema).href : `./${near}`;
};

const run = async (options: { try: boolean }, io: CliIo): Promise<void> => {
  const path = resolve(io.cwd, io.flags.config ?? CONFIG_FILE);
  if (existsSync(path))
    throw new UsageError(
      `${path} already exists. Change it with an editor (${docsPage('reference/settings.md')} lists every setting), or move it away.`,
    );
  const { answers, isProbed } = await askAll(io, options.try);
  const { dataDir } = io.flags;
  const flags = { ...answers, ...(dataDir === undefined ? {} : { dataDir }) };
  const config = readConfig({ flags, env: io.env, cwd: io.cwd });
  const upstream = options.try ? await trySettings(config, isProbed, io) : {};
  if (options.try) io.out('The service responded.', 'good');
  const { platforms = '', ratePerMinute, callsPerMonth, ...texts } = answers;
  const fields = {
    [SCHEMA]: schemaFor(path),
    ...texts,
    ...(ratePerMinute === undefined ? {} : { ratePerMinute: Number(ratePerMinute) }),
    ...(callsPerMonth === undefined ? {} : { callsPerMonth: Number(callsPerMonth) }),
    platforms: platforms.split(',').map((name) => name.trim()),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(Object.keys(upstream).length === 0 ? {} : { upstream }),
  };
  writeFileSync(path, `${JSON.stringify(fields, null, 2)}\n`, { flag: 'wx', mode: OWN_FILE });
  io.out(
    `Written to ${path}; only you may read it. Next:\n  ${commandText('plan')}\n  ${commandText('sync')}`,
  );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--no-try', 'write the answers without a call')
    .addHelpText('after', HELP)
    .action((options: { try: boolean }) => run(options, io));
};
