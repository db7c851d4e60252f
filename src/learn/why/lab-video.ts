/** What the lab compares videos by. Instants in Unix ms; null: not known. */
export interface LabVideo {
  readonly key: number;
  readonly title: string | null;
  readonly user: string | null;
  readonly createdAt: number | null;
  readonly views: number;
  readonly likes: number | null;
  readonly durationSec: number | null;
}
