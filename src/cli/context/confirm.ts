import { UsageError } from '../../base/errors.ts';
import type { CliIo } from './io.ts';
import { Questions } from './questions.ts';

const askOnce = async (io: CliIo, question: string): Promise<string> => {
  using questions = new Questions(io);
  return await questions.ask(question);
};

/**
 * Asks before something that cannot be undone.
 * @param toDo what --yes would do, such as `restore latest`
 * @throws UsageError if nobody can answer
 */
export const isConfirmed = async (
  io: CliIo,
  { question, done, toDo }: { question: string; done: string; toDo: string },
): Promise<boolean> => {
  if (io.input?.isTTY !== true)
    throw new UsageError(
      `Nothing was ${done}: it needs your confirmation and stdin is not a terminal. Add --yes to ${toDo}.`,
    );
  return /^y/i.test(await askOnce(io, `${question} [y/N]`));
};

/** True unless somebody at a terminal says no. */
export const isNotRefused = async (io: CliIo, question: string): Promise<boolean> =>
  io.input?.isTTY !== true || !/^n/i.test(await askOnce(io, `${question} [Y/n]`));
