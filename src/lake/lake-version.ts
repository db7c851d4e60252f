import type { Lake } from './open.ts';
import { statement } from './statements.ts';

/** A number that changes when another connection commits to the lake. Cheap: no page is read. */
export const lakeVersion = (lake: Lake): number =>
  statement(lake, 'pragma data_version').pluck().get() as number;
