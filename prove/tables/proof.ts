import type { RunningStore } from './ceph-store.ts';

/** Given to every part of the proof. */
export interface Proof {
  readonly store: RunningStore;
  /** For lakes, files, whatever is made. */
  readonly folder: string;
  /** The proof's own bucket. */
  readonly bucket: string;
  tell(line: string): void;
  /** Counts against the proof; its exit code says so. */
  fail(line: string): void;
}

/** A published table as the independent reader names it. */
export const tableAt = ({ store, bucket }: Proof, table: string): string =>
  `deltaLake('${store.endpoint}/${bucket}/tables/${table}/', '${store.key}', '${store.secret}')`;

export const urlOf = ({ bucket }: Proof): string => `s3://${bucket}/tables`;

export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;
