import { readFileSync, type Stats, statSync } from 'node:fs';
import { messageOf, UsageError } from '../errors.ts';
import { isObject, type JsonObject } from '../json-object.ts';

export const CONFIG_FILE = 'trendlake.config.json';

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;

/** Reason why others can change the file, and so redirect the key. The user's own group is safe. */
const foreignWriters = ({ mode, uid, gid }: Stats): string | undefined => {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  if (user === undefined) return undefined; // Windows
  if (uid !== user && uid !== 0) return `it belongs to another user (${uid})`;
  if ((mode & OTHERS_WRITE) !== 0) return 'every user can write it';
  if ((mode & GROUP_WRITES) !== 0 && gid !== group) return `group ${gid} can write it`;
  return undefined;
};

/** Position of a JSON error, without the text around it, which may be the key. */
const positionIn = (error: unknown): string =>
  /\(line \d+ column \d+\)/.exec(messageOf(error))?.[0] ?? '';

/**
 * Reads a configuration file. A missing file has no fields.
 * @throws UsageError when it cannot be read or others can write it; never quotes it
 */
export const readConfigFile = (path: string): JsonObject => {
  let text: string;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return {};
    const reason = foreignWriters(stats);
    if (reason !== undefined)
      throw new UsageError(
        `${path} is not read: ${reason}, so others could redirect your key. Change the owner to you, then run \`chmod 600 ${path}\`.`,
      );
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}. Fix it or remove it.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new UsageError(
      `${path} is not valid JSON ${positionIn(error)}`.trim().concat('. Fix it or remove it.'),
    );
  }
  throw new UsageError(`${path} must contain a JSON object. Fix it or remove it.`);
};
