import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { explainConfig } from '../../base/config/config.ts';
import { UsageError } from '../../base/errors.ts';
import type { CheckResult } from '../../run/maintenance/doctor.ts';
import { supportFacts } from '../../run/maintenance/support-bundle.ts';
import { type CliIo, configSources } from '../context/io.ts';
import { versionText } from '../context/version.ts';

const OWN_FILE = 0o600;

/** Writes one file to attach to a report of a problem. */
export const writeBundle = (
  file: string | true,
  dataDir: string,
  findings: readonly CheckResult[],
  io: CliIo,
): string => {
  const path = resolve(io.cwd, file === true ? 'trendlake-bundle.json' : file);
  const bundle = {
    version: versionText(),
    ...supportFacts(dataDir, io.clock),
    settings: explainConfig(configSources(io)).filter(({ origin }) => origin !== 'default'),
    findings,
  };
  try {
    writeFileSync(path, `${JSON.stringify(bundle, null, 2)}\n`, { flag: 'wx', mode: OWN_FILE });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new UsageError(
      `The bundle was not written: ${path} already exists. Remove it, or name another file.`,
    );
  }
  return path;
};
