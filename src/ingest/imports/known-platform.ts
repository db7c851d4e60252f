import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { prepare } from '../../lake/prepare.ts';

/** The platform of a video by its id, where it is known already. */
export type KnownPlatform = (id: string) => Platform | undefined;

/** Looks videos up in a lake, by any connection to it. */
export const knownPlatformIn = (sqlite: Database.Database): KnownPlatform => {
  const find = prepare(sqlite, 'select platform from video where id = ?', 'platform');
  return (id) => find.get(id);
};
