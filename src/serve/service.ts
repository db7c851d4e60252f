import { Opened } from '../base/opened.ts';
import { ServedLake } from './served-lake.ts';
import type { RunningService, ServiceOptions } from './service-options.ts';

/**
 * Serves a lake until closed. Creates an empty one if none exists.
 * @throws UsageError when the address is taken or the data directory cannot be used
 */
export const startService = async (options: ServiceOptions): Promise<RunningService> => {
  const { dataDir, clock, machine, at, log, readLimits, isSearched = true } = options;
  const now = typeof at === 'function' ? at : () => at ?? clock.now();
  const report = options.report ?? ((sentence) => log?.warn(sentence));
  const opened = new Opened();
  try {
    if (options.keys !== undefined) opened.add(options.keys);
    const lake = new ServedLake({ dataDir, report, isSearched, machine, readLimits }, opened);
    const { AssembledService } = await import('./assembled-service.ts');
    return await new AssembledService(options, { lake, now }, opened).listen();
  } catch (error) {
    await opened.close();
    throw error;
  }
};
