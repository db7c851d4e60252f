import type { Finding, Window } from './event.ts';

/**
 * The findings inside `span` that open an episode: none came in the `quietMs` before them. A rule
 * that stays true for days speaks once. Whether a finding is kept depends on nothing older than
 * `quietMs`, so looking in one go or in many gives the same.
 * @param findings of one subject, oldest first, from at least `quietMs` before `span`
 * @param same whether two findings are about the same thing; default: they are
 */
export const episodes = <F extends Finding>(
  findings: readonly F[],
  span: Window,
  quietMs: number,
  same: (a: F, b: F) => boolean = () => true,
): F[] =>
  findings.filter(
    (finding, index) =>
      finding.window.to > span.from &&
      finding.window.to <= span.to &&
      !findings
        .slice(0, index)
        .some((other) => finding.window.to - other.window.to < quietMs && same(finding, other)),
  );
