import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { UsageError } from '../../base/errors.ts';
import type { Lake } from '../../lake/open.ts';
import type { PublishSummary } from './publish-lake.ts';

/** Dependencies of publishing. */
export interface PublishWorld {
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** The `AWS_*` variables, for addresses on S3. */
  readonly env: NodeJS.ProcessEnv;
  readonly onFile?: () => void;
}

/**
 * Publishes a lake if the settings name an address. Loads the code only then.
 * @returns undefined without an address
 * @throws UsageError if the lake has no name; TablesError and LakeError as `publishLake`
 */
export const publishIfConfigured = async (
  lake: Lake,
  { tablesUrl, lake: name }: Pick<Config, 'tablesUrl' | 'lake'>,
  world: PublishWorld,
  options: { readonly replace?: boolean; readonly full?: boolean; readonly purge?: boolean } = {},
): Promise<PublishSummary | undefined> => {
  if (tablesUrl === undefined) return undefined;
  if (name === undefined)
    throw new UsageError(
      'TRENDLAKE_TABLES_URL is set but TRENDLAKE_LAKE is not. Give this lake a name, such as TRENDLAKE_LAKE=berlin: it separates its rows from those of other lakes in the same tables.',
    );
  const { openStore } = await import('./open-store.ts');
  const { publishLake } = await import('./publish-lake.ts');
  const store = await openStore(tablesUrl, world);
  try {
    return await publishLake(lake, { store, name, ...world, ...options });
  } finally {
    store.close();
  }
};
