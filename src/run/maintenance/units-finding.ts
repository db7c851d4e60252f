import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../base/config/config.ts';
import { TrendlakeError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { isReplayDue } from '../../ingest/responses/adopt-words.ts';
import { LAKE_FILE, openLakeForReading } from '../../lake/open.ts';
import type { CheckResult } from './doctor.ts';

/** Checks that all stored responses were loaded with the words and units of the setting `upstream`. */
export const unitsFindings = ({
  dataDir,
  upstream,
}: Pick<Config, 'dataDir' | 'upstream'>): CheckResult[] => {
  if (!existsSync(join(dataDir, LAKE_FILE))) return [];
  try {
    const lake = openLakeForReading(dataDir);
    try {
      return [finding(isReplayDue(lake, upstream))];
    } finally {
      lake.close();
    }
  } catch (error) {
    if (error instanceof TrendlakeError) return []; // the check of the database says why
    throw error;
  }
};

const finding = (isDue: boolean): CheckResult =>
  isDue
    ? {
        check: 'units',
        ok: false,
        detail: 'the setting upstream changed, and responses were loaded with the one before',
        advice: `Words and units are mixed. \`${commandText('replay')}\` loads the stored responses again, without calls.`,
      }
    : {
        check: 'units',
        ok: true,
        detail: 'all responses were loaded with the same setting upstream',
        advice: null,
      };
