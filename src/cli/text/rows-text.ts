import { LOADED_TABLES, type LoadCounts } from '../../ingest/writers/tally.ts';
import { grouped } from './figures.ts';

/** Rows inserted, updated and unchanged, one line per changed table. */
export const rowsText = (rows: LoadCounts): string[] =>
  LOADED_TABLES.filter((table) => Object.values(rows[table]).some((count) => count > 0)).map(
    (table) => {
      const { inserted, updated, unchanged } = rows[table];
      return `  ${table.padEnd(18)} ${grouped(inserted)} new, ${grouped(updated)} updated, ${grouped(unchanged)} unchanged`;
    },
  );
