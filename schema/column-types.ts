import { customType } from 'drizzle-orm/sqlite-core';

/**
 * Text compared without ASCII case, so that `where tag = 'fyp'` also finds `FYP` through the index. The
 * stored text keeps its case.
 */
export const textNoCase = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE NOCASE',
});
