/** 100 x likes / views, percent; null if unknown or views is 0. */
export const engagementRate = ({
  views,
  likes,
}: {
  readonly views: number | null;
  readonly likes: number | null;
}): number | null =>
  views === null || likes === null || views === 0 ? null : (100 * likes) / views;
