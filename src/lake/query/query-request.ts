/** Format of rows. */
export type RowFormat = 'csv' | 'json' | 'cells';

/** Request to the process of a query, as JSON on its standard input. */
export interface QueryRequest {
  readonly dataDir: string;
  readonly sql: string;
  /** Answers over the lake as it was known then, Unix ms; undefined: as it is. */
  readonly asOf?: number | undefined;
  /** Place of the tables' and columns' descriptions, for errors. */
  readonly dictionary: string;
  readonly format: RowFormat;
  /** With csv: text that a spreadsheet would take for a formula stands behind an apostrophe. */
  readonly isSafe: boolean;
  /** Maximum number of rows; undefined: all. */
  readonly limit: number | undefined;
  /** With cells: number of rows to write. Others are counted. */
  readonly shown: number;
  /** Set for queries of strangers, such as readers of a page. */
  readonly guard?: QueryGuard;
}

/** Bounds of a query that a stranger wrote. */
export interface QueryGuard {
  /** With cells: longer ones are cut. */
  readonly cellCharacters?: number;
  /** No further row is written after this many characters. */
  readonly characters?: number;
}

/** Stands before how it ended as soon as rows were written: blank, so that the JSON stays JSON. */
export const BEGUN = '\n';

/** End of a query, as JSON on descriptor 3. */
export type QueryEnd =
  | {
      readonly rows: number;
      /** True: there are more than `limit`. */
      readonly hasMore: boolean;
      readonly columns: readonly string[];
    }
  | { readonly failed: { message: string; code: string; exitCode: number } };
