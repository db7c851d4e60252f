/** A bench of `bench:all`: the script `bench:<name>`, with sizes that fit into the whole. */
export interface Bench {
  readonly name: string;
  readonly args: readonly string[];
}

/** In the order of docs/internals/performance.md. All of them together take less than 15 minutes. */
export const BENCHES: readonly Bench[] = [
  { name: 'sync-peer', args: ['--rounds', '3'] },
  { name: 'bulk', args: ['--pages', '1000'] },
  { name: 'scale', args: ['--snapshots', '2000000', '--base', '200000', '--rounds', '3'] },
  { name: 'export', args: ['--rounds', '3'] },
  { name: 'forecast', args: ['--lake', '1000000'] },
  { name: 'serve', args: ['--videos', '100000', '--requests', '300'] },
  { name: 'start', args: ['--rounds', '3'] },
];

/** The command that makes a bench's figures. */
export const commandOf = ({ name, args }: Bench): string =>
  `npm run bench:${name}${args.length === 0 ? '' : ` -- ${args.join(' ')}`}`;
