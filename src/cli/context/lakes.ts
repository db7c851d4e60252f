import { type Lake, openLake, openLakeForReading } from '../../lake/open.ts';
import { type CliIo, configOf } from './io.ts';

export const lakeToRead = (io: CliIo): Lake => openLakeForReading(configOf(io).dataDir);

/** Opens the lake for writing; creates a missing one. */
export const lakeToWrite = (io: CliIo): Lake => openLake(configOf(io).dataDir, { report: io.err });

/** Opens the lake for writing. @throws UsageError if there is none */
export const existingLake = (io: CliIo): Lake => {
  lakeToRead(io).close();
  return lakeToWrite(io);
};

/** Runs `work` on the lake and prints the result as JSON or as text. */
export const printFromLake = async <Found>(
  io: CliIo,
  work: (lake: Lake) => Found | Promise<Found>,
  text: (found: Found) => string,
): Promise<void> => {
  using lake = lakeToWrite(io);
  const found = await work(lake);
  io.show(found, () => text(found));
};
