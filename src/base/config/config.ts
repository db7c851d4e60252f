import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { JsonObject } from '../json-object.ts';
import { didYouMean } from '../nearest.ts';
import { type ProxySettings, proxyIn, proxyProblems } from '../proxy.ts';
import { CONFIG_FILE, readConfigFile } from './config-file.ts';
import { asText, shownText } from './setting-text.ts';
import { SETTINGS, type Setting } from './settings.ts';
import { TIERS } from './tiers.ts';
import { keyVariables, readKeys, type UpstreamKey } from './upstream-keys.ts';

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;
type ValueOf<N extends SettingName> = Extract<
  ReturnType<Settings[N]['read']>,
  { value: unknown }
>['value'];
type Given = {
  [N in SettingName]: Settings[N]['default'] extends undefined
    ? ValueOf<N> | undefined
    : ValueOf<N>;
};

/**
 * All settings, read and checked. `dataDir` is absolute. Rate and month come from the tier; with several
 * keys they are the sum.
 */
export type Config = Readonly<
  Omit<Given, 'ratePerMinute' | 'callsPerMonth'> & {
    ratePerMinute: number;
    callsPerMonth: number;
    /** In the order of the configuration file; empty if `keys` is not set. */
    keys: readonly UpstreamKey[];
    /** Proxies of outgoing requests. */
    proxy: ProxySettings | undefined;
  }
>;

/** Fields of the configuration file. */
const KEYS = 'keys';
export const SCHEMA = '$schema';

/** Texts by setting name, as flags give them. */
export type Overrides = Partial<Record<SettingName, string>>;

/** Names every invalid setting. */
class ConfigurationError extends UsageError {
  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? problems[0]
        : `${problems.length} settings are invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  }
}

const TABLE: Readonly<Record<SettingName, Setting<unknown>>> = SETTINGS;
const SETTING_NAMES = Object.keys(SETTINGS).filter((name): name is SettingName => name in SETTINGS);

const flagOf = (name: SettingName): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const KEY_PREFIX = 'TRENDLAKE_KEY_';

/** A variable named like a key, which was removed from the configuration or is mistyped. */
const unknownKeyVariable = (name: string, ofKeys: readonly string[], path: string): string => {
  const rest = (variable: string): string => variable.slice(KEY_PREFIX.length);
  const near = ofKeys.filter((known) => didYouMean(rest(name), [rest(known)]) !== '');
  const hint =
    ofKeys.length === 0
      ? ' If you have a single key, set TRENDLAKE_API_KEY.'
      : didYouMean(name, near);
  return `${name} is set but no key in ${path} has it as keyEnv. Unset it, or add it there.${hint}`;
};

/** Unknown names are errors: a mistyped setting would silently keep its default. */
const unknownNames = (env: NodeJS.ProcessEnv, file: JsonObject, path: string): string[] => {
  const variables = SETTING_NAMES.map((name) => TABLE[name].env);
  const ofKeys = keyVariables(file[KEYS]);
  const fields = [...SETTING_NAMES, KEYS];
  return [
    ...Object.keys(env)
      .filter((name) => name.startsWith('TRENDLAKE_') && ![...variables, ...ofKeys].includes(name))
      .map((name) =>
        name.startsWith(KEY_PREFIX)
          ? unknownKeyVariable(name, ofKeys, path)
          : `${name} is not a setting of trendlake.${didYouMean(name, variables)}`,
      ),
    ...Object.keys(file)
      .filter((name) => name !== SCHEMA && !fields.includes(name))
      .map((name) => `${path} sets ${name}, which is not a setting.${didYouMean(name, fields)}`),
  ];
};

const NO_NUMBERS =
  'Tier enterprise has no fixed limits: set both TRENDLAKE_RATE_PER_MINUTE and TRENDLAKE_CALLS_PER_MONTH to those of your contract.';

/** Settings that are each valid but contradict each other. */
const contradictions = (
  texts: Partial<Record<SettingName, string>>,
  hasKeys: boolean,
): string[] => {
  const problems: string[] = [];
  if (texts.apiKey !== undefined && texts.baseUrl === undefined && !hasKeys)
    problems.push(
      'TRENDLAKE_API_KEY is set but TRENDLAKE_BASE_URL is not. Set the address of the API too, or unset the key to use the built-in sandbox.',
    );
  if ((texts.modelUrl === undefined) !== (texts.modelName === undefined))
    problems.push(
      'A model needs both TRENDLAKE_MODEL_URL (such as http://127.0.0.1:11434/v1) and TRENDLAKE_MODEL_NAME. Set both or neither.',
    );
  const hasNumbers = texts.ratePerMinute !== undefined && texts.callsPerMonth !== undefined;
  if (texts.tier === 'enterprise' && !hasNumbers && !hasKeys) problems.push(NO_NUMBERS);
  return problems;
};

const together = (
  keys: readonly UpstreamKey[],
): Pick<UpstreamKey, 'ratePerMinute' | 'callsPerMonth'> => ({
  ratePerMinute: keys.reduce((sum, key) => sum + key.ratePerMinute, 0),
  callsPerMonth: keys.reduce((sum, key) => sum + key.callsPerMonth, 0),
});

/** Proxies of webhooks to subscribers: none unless the settings ask for them. */
export const webhookProxy = ({
  proxyWebhooks,
  proxy,
}: Pick<Config, 'proxyWebhooks' | 'proxy'>): ProxySettings | undefined =>
  proxyWebhooks ? proxy : undefined;

/** Sources of settings, besides their defaults. */
export interface ConfigSources {
  readonly flags?: Overrides;
  readonly env: NodeJS.ProcessEnv;
  /** Working folder: relative paths start here, and its `trendlake.config.json` is read. */
  readonly cwd: string;
  /** Configuration file to read instead. Must exist. */
  readonly file?: string | undefined;
}

type Origin = 'flag' | 'environment' | 'file' | 'tier' | 'keys' | 'default';

/** The text of a setting, its origin, and the name under which it is set there. */
interface FoundText {
  readonly text: string | undefined;
  readonly origin: Origin;
  readonly where: string;
}

const findText = (
  name: SettingName,
  { flags = {}, env }: ConfigSources,
  fields: JsonObject,
  path: string,
): FoundText => {
  const variable = TABLE[name].env;
  const flag = flags[name];
  const field = fields[name];
  if (flag !== undefined) return { text: flag, origin: 'flag', where: flagOf(name) };
  if ((env[variable] ?? '') !== '')
    return { text: env[variable], origin: 'environment', where: variable };
  if (field !== undefined && field !== null)
    return { text: asText(field), origin: 'file', where: `${name} in ${path}` };
  return { text: TABLE[name].default, origin: 'default', where: 'default' };
};

/** A setting as `config check` shows it. */
export interface ExplainedSetting {
  readonly name: SettingName;
  /** Null if it is not set. Secrets are replaced by `(hidden)`. */
  readonly value: string | null;
  readonly origin: Origin;
  readonly where: string;
}

/** Path of the configuration file, which may be missing. */
export const configPath = ({ cwd, file }: ConfigSources): string =>
  resolve(cwd, file ?? CONFIG_FILE);

/** The schedule of TRENDLAKE_REPORT, unless TRENDLAKE_SCHEDULES has one. */
const scheduleOfReport = ({ report, schedules }: Given): Pick<Given, 'schedules'> => ({
  schedules: report?.schedule === undefined ? schedules : { report: report.schedule, ...schedules },
});

/**
 * Reads and checks all settings.
 * @throws ConfigurationError with every unknown name and invalid value (never a secret); UsageError
 * when the file cannot be read
 */
export const readConfig = (sources: ConfigSources): Config => {
  const { env, cwd, file } = sources;
  const path = configPath(sources);
  if (file !== undefined && !existsSync(path))
    throw new UsageError(`The configuration file ${path} does not exist. Check --config.`);
  const fields = readConfigFile(path);
  const problems = [...unknownNames(env, fields, path), ...proxyProblems(env)];

  const texts: Partial<Record<SettingName, string>> = {};
  const read = (name: SettingName): unknown => {
    const setting = TABLE[name];
    const { text, where } = findText(name, sources, fields, path);
    if (text === undefined) return undefined;
    texts[name] = text;
    const parsed = setting.read(text);
    if ('value' in parsed) return parsed.value;
    problems.push(
      `${where} must be ${parsed.expected}; ${shownText(setting.secret === true, text)}.`,
    );
    return undefined;
  };
  const given = Object.fromEntries(SETTING_NAMES.map((name) => [name, read(name)])) as Given;
  problems.push(...contradictions(texts, fields[KEYS] !== undefined));
  const tier = TIERS[given.tier ?? 'beta']; // an invalid tier is among the problems
  const ofOne = {
    ratePerMinute: given.ratePerMinute ?? tier?.ratePerMinute,
    callsPerMonth: given.callsPerMonth ?? tier?.callsPerMonth,
  };
  const around = { ...given, ...ofOne, platforms: given.platforms ?? [], path, env };
  const several = readKeys(fields[KEYS], around);
  problems.push(...several.problems);
  if ((fields.apiKey ?? null) !== null && (fields[KEYS] ?? null) !== null)
    problems.push(
      `${path} has both apiKey and keys. Remove apiKey, or put that key into a variable and add it to keys as keyEnv.`,
    );
  if (problems.length > 0) throw new ConfigurationError(problems);
  const { keys } = several;
  const { ratePerMinute, callsPerMonth } = keys.length === 0 ? ofOne : together(keys);
  if (ratePerMinute === undefined || callsPerMonth === undefined)
    throw new ConfigurationError([NO_NUMBERS]);
  return Object.freeze({
    ...given,
    ...scheduleOfReport(given),
    dataDir: resolve(cwd, given.dataDir),
    ratePerMinute,
    callsPerMonth,
    keys,
    proxy: proxyIn(env),
  });
};

/**
 * Every effective setting with its origin.
 * @throws as `readConfig`
 */
export const explainConfig = (sources: ConfigSources): ExplainedSetting[] => {
  const config = readConfig(sources);
  const path = configPath(sources);
  const fields = readConfigFile(path);
  const derived: Origin = config.keys.length > 0 ? 'keys' : 'tier';
  return SETTING_NAMES.map((name): ExplainedSetting => {
    const { text, origin, where } = findText(name, sources, fields, path);
    const isLimit = name === 'ratePerMinute' || name === 'callsPerMonth';
    if (isLimit && (text === undefined || derived === 'keys'))
      return { name, value: `${config[name]}`, origin: derived, where: derived };
    if (name === 'dataDir') return { name, value: config.dataDir, origin, where };
    const value = text !== undefined && TABLE[name].secret === true ? '(hidden)' : text;
    return { name, value: value ?? null, origin, where };
  });
};
