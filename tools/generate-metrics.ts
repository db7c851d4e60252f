import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { Metrics } from '../src/run/metrics/metrics.ts';

// Writes docs/reference/metrics.md from the metrics as they are registered; a test fails when the page is stale.
//
//   npm run docs metrics

/** The page as it should stand. */
export const metricsPage = async (): Promise<string> => {
  const quota = { ratePerMinute: 60, callsPerMonth: 50_000, quotaReset: 'calendar' };
  const metrics = new Metrics({ dataDir: tmpdir(), clock: systemClock, ...quota }); // not read
  const rows = metrics
    .list()
    .map(
      ({ name, type, help, labels }) =>
        `- \`${name}\`${type === 'gauge' ? '' : ` (${type})`}${labels.length === 0 ? '' : ` by ${labels.map((label) => `\`${label}\``).join(', ')}`}: ${help}`,
    );
  await metrics.close();
  return `# Metrics

<!-- generated: change the code, then npm run docs metrics -->

\`trendlake serve\` exposes these metrics at \`/metrics\` in the Prometheus text format.
[Operating](../guides/operating.md#metrics) shows how to scrape them and which alerts to set. Pipeline
metrics are read from the lake at each scrape, so they cover \`sync\` and \`schedule\` in other processes.
They are gauges unless noted. Labels never hold ids, handles, addresses or keys. Unknown values are
left out, never 0.

${rows.join('\n')}
`;
};

if (import.meta.main)
  writeFileSync(join(import.meta.dirname, '../docs/reference/metrics.md'), await metricsPage());
