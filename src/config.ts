import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, UsageError } from './errors.ts';
import { type Reading, SETTINGS } from './settings.ts';
import { TIERS } from './tiers.ts';

/** What was got, as a message may show it: no key, no password, no query. */
const shownText = (name: string, text: string): string =>
  name === 'apiKey'
    ? '[hidden]'
    : text.replace(/\/\/[^/@]*@/, '//[hidden]@').replace(/\?.*/s, '?...');

type Settings = typeof SETTINGS;
type Name = keyof Settings;
type ValueOf<N extends Name> = Extract<ReturnType<Settings[N]['read']>, { ok: unknown }>['ok'];
type Given = {
  [N in Name]: Settings[N]['default'] extends undefined ? ValueOf<N> | undefined : ValueOf<N>;
};

/** All settings, read and checked. `dataDir` is absolute; rate and month are resolved from the tier. */
export type Config = Readonly<
  Omit<Given, 'ratePerMinute' | 'callsPerMonth'> & { ratePerMinute: number; callsPerMonth: number }
>;

/** Texts by setting name, as flags give them. */
export type Overrides = Partial<Record<Name, string>>;

const readFile = (path: string): Record<string, unknown> => {
  if (!existsSync(path)) return {};
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
    throw new Error('it holds no JSON object');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}. Mend it or remove it.`);
  }
};

const asText = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/**
 * Reads and checks every setting, once, at the start of a command.
 * @param warn receives a sentence for each unknown `TRENDLAKE_*` name or file entry
 * @throws UsageError naming the setting, what was expected and what was got (never a secret)
 */
export const readConfig = (
  overrides: Overrides,
  env: NodeJS.ProcessEnv,
  cwd: string,
  warn: (sentence: string) => void,
): Config => {
  const path = resolve(cwd, 'trendlake.config.json');
  const file = readFile(path);
  const names = Object.keys(SETTINGS) as Name[];
  const known = new Set<string>(names.map((name) => SETTINGS[name].env));
  for (const name of Object.keys(env))
    if (name.startsWith('TRENDLAKE_') && !known.has(name) && !name.startsWith('TRENDLAKE_MODEL_'))
      warn(`${name} is set but trendlake has no such setting; it is ignored.`);
  for (const name of Object.keys(file))
    if (!(name in SETTINGS))
      warn(`${path} sets ${name}, which trendlake does not know; it is ignored.`);

  const read = (name: Name): unknown => {
    const setting = SETTINGS[name];
    const fromEnv = env[setting.env] === '' ? undefined : env[setting.env];
    const [text, where] =
      overrides[name] !== undefined
        ? [overrides[name], `--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`]
        : fromEnv !== undefined
          ? [fromEnv, setting.env]
          : file[name] !== undefined && file[name] !== null
            ? [asText(file[name]), `${name} in ${path}`]
            : [setting.default, name];
    if (text === undefined) return undefined;
    const reading: Reading<unknown> = setting.read(text);
    if ('ok' in reading) return reading.ok;
    throw new UsageError(`${where} must be ${reading.expected}; it is "${shownText(name, text)}".`);
  };
  const given = Object.fromEntries(names.map((name) => [name, read(name)])) as Given;
  const tier = TIERS[given.tier];
  const ratePerMinute = given.ratePerMinute ?? tier?.ratePerMinute;
  const callsPerMonth = given.callsPerMonth ?? tier?.callsPerMonth;
  if (ratePerMinute === undefined || callsPerMonth === undefined)
    throw new UsageError(
      `Tier ${given.tier} has no numbers of its own: set both TRENDLAKE_RATE_PER_MINUTE and TRENDLAKE_CALLS_PER_MONTH to what your agreement says.`,
    );
  return Object.freeze({
    ...given,
    dataDir: resolve(cwd, given.dataDir),
    ratePerMinute,
    callsPerMonth,
  });
};
