/**
 * SQL of a subquery: every spelling of the handle whose folded form is `folded`, a parameter or a
 * column. The folded form itself is one and has no row in `handle_spelling`.
 */
export const spellingsOf = (folded: string): string => `
  select ${folded} union all select handle from handle_spelling where folded = ${folded}`;

/** The same for a parameter without a name, which a statement may have only once. */
export const SPELLINGS_OF_ONE = `
  with one (folded) as (select ?) select folded from one
  union all select n.handle from one cross join handle_spelling n on n.folded = one.folded`;
