import { Secret } from '../secret.ts';
import { expected, type TextReader } from '../text-values.ts';

const ADDRESS = /^(?:(?:slack|discord|teams)\+https?|https?|smtps?):/i;

const TARGET =
  'an https address, slack+https:, discord+https: or teams+https: with an address, smtps://user:password@host:465/?from=a@example.com&to=b@example.com, or a command';

const isTarget = (text: string): boolean => {
  if (text === '') return false;
  if (!ADDRESS.test(text)) return true;
  const url = URL.parse(text);
  if (url === null) return false;
  return (
    !/^smtps?:$/.test(url.protocol) ||
    (url.hostname !== '' && (url.searchParams.get('to') ?? '').includes('@'))
  );
};

/** Targets in a text: addresses separated by blanks, or one shell command. */
export const targetsIn = (text: string): string[] => {
  const words = text.trim().split(/\s+/);
  return words.every((word) => ADDRESS.test(word)) ? words : [text.trim()];
};

/** One target: a webhook, a chat service, an SMTP address or a shell command. */
export const notifyTarget: TextReader<Secret> = (text) =>
  isTarget(text.trim()) && targetsIn(text).length === 1
    ? { value: new Secret(text.trim()) }
    : expected(TARGET);

/** One or several targets. May contain passwords. */
export const notifyTargets: TextReader<Secret> = (text) =>
  targetsIn(text).every(isTarget)
    ? { value: new Secret(text.trim()) }
    : expected(`${TARGET}; or several addresses, separated by blanks`);
