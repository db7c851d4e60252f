import { UsageError } from '../../base/errors.ts';
import type { CliIo } from './io.ts';
import { Questions } from './questions.ts';

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
  using questions = new Questions(io);
  return /^y/i.test(await questions.ask(`${question} [y/N]`));
};
