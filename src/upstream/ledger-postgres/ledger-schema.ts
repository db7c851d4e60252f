import { ADMIT, GIVE_BACK, HOLD, SETTLE } from './calls-sql.ts';
import { CLOCK, MONTH, SPENT } from './months-sql.ts';
import { SERVICE } from './service-sql.ts';
import { SLOTS } from './slots-sql.ts';
import { TABLES } from './tables-sql.ts';

/** Everything `ledger init` makes, in the schema that the search path names. Safe to run again. */
export const LEDGER_SQL: readonly string[] = [
  TABLES,
  CLOCK,
  MONTH,
  SPENT,
  HOLD,
  GIVE_BACK,
  ADMIT,
  SETTLE,
  SLOTS,
  SERVICE,
];
