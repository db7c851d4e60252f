import { customType } from 'drizzle-orm/sqlite-core';

/**
 * Text compared without regard to ASCII case, so that `where tag = 'fyp'` also finds `FYP`,
 * through the index. What was written is kept as it was written.
 */
export const textNoCase = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE NOCASE',
});
