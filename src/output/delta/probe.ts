import { createHash, randomBytes } from 'node:crypto';
import { TablesError } from './errors.ts';
import type { TableStore } from './table-store.ts';

const TRIED_AT_ONCE = 4;

/**
 * Checks once per address that of several concurrent creations of an object only one succeeds, which
 * commits rely on. An object in `_trendlake/` records success.
 * @throws TablesError if the store ignores the condition. Nothing was published then
 */
export const probeStore = async (store: TableStore): Promise<void> => {
  const address = createHash('sha256').update(store.url).digest('hex').slice(0, 16);
  const passed = `_trendlake/probed-${address}.json`; // a copy of the tables at another address is checked there
  if ((await store.read(passed)) !== undefined) return; // unlike HEAD, a refused GET has a reason
  const tried = `_trendlake/probe-${randomBytes(12).toString('hex')}`;
  const body = Buffer.from(JSON.stringify({ by: 'trendlake', is: 'a probe of If-None-Match' }));
  try {
    const together = Array.from({ length: TRIED_AT_ONCE }, () => store.create(tried, body));
    const winners = (await Promise.all(together)).filter((won) => won).length;
    const later = await store.create(tried, body);
    if (winners > 1 || later)
      throw new TablesError(
        `${store.url} is on a store that ignores conditions: ${winners + (later ? 1 : 0)} of ${TRIED_AT_ONCE + 1} writers made the same object, so that two lakes would overwrite each other's commits. Nothing was published. Use a store that knows If-None-Match (AWS S3, Ceph, MinIO, Cloudflare R2, or file:///).`,
      );
  } catch (error) {
    await store.remove([tried]).catch(() => {}); // the first failure says more
    throw error;
  }
  await store.remove([tried]);
  await store.create(passed, Buffer.from(JSON.stringify({ url: store.url })));
};
