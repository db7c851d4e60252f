import { readFileSync, type Stats, statSync } from 'node:fs';
import { messageOf, UsageError } from '../errors.ts';
import { isObject, type JsonObject } from '../json-object.ts';

/** File name of the configuration in the working folder. */
export const CONFIG_FILE = 'trendlake.config.json';

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;

/**
 * Who else could change a file: it decides where the key is sent. A group of the user's own, as many
 * systems make one for each user, is nobody else.
 */
const strangersOf = ({ mode, uid, gid }: Stats): string | undefined => {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  if (user === undefined) return undefined; // a system without such modes
  if (uid !== user && uid !== 0) return `it belongs to another user (${uid})`;
  if ((mode & OTHERS_WRITE) !== 0) return 'every user may write it';
  if ((mode & GROUP_WRITES) !== 0 && gid !== group) return `the group ${gid} may write it`;
  return undefined;
};

/** Where JSON goes wrong, without a word of what it says: the key may stand there. */
const positionIn = (error: unknown): string =>
  /\(line \d+ column \d+\)/.exec(messageOf(error))?.[0] ?? '';

/**
 * The fields of a configuration file; none where there is no file.
 * @throws UsageError where it cannot be read or others can write it; quotes nothing of it
 */
export const readConfigFile = (path: string): JsonObject => {
  let text: string;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return {};
    const strangers = strangersOf(stats);
    if (strangers !== undefined)
      throw new UsageError(
        `${path} is not read: ${strangers}, and with it where your key is sent. Make it yours alone: chown it to you, then chmod 600.`,
      );
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}. Mend it or remove it.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new UsageError(
      `${path} is not JSON ${positionIn(error)}`.trim().concat('. Mend it or remove it.'),
    );
  }
  throw new UsageError(`${path} holds no JSON object. Mend it or remove it.`);
};
