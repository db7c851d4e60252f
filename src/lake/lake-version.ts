import type { Lake } from './open.ts';
import { required } from './prepare.ts';
import { prepared } from './statements.ts';

/** A number that changes when another connection commits to the lake. Cheap: no page is read. */
export const lakeVersion = (lake: Lake): number =>
  required(prepared(lake, 'pragma data_version', 'number').get());
