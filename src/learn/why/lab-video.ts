/** Instants in Unix ms; null: unknown. */
export interface LabVideo {
  readonly key: number;
  readonly title: string | null;
  readonly user: string | null;
  readonly createdAt: number | null;
  readonly views: number;
  readonly likes: number | null;
  readonly durationSec: number | null;
}
