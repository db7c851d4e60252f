import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHORES, JOBS } from '../jobs/all-jobs.ts';
import { SETTINGS, type Setting } from '../src/base/config/settings.ts';
import { KEY_FIELDS } from '../src/base/config/upstream-keys.ts';
import type { JsonSchema, TextReader } from '../src/base/text-values.ts';
import { COMMANDS } from '../src/cli/commands.ts';

// Writes docs/reference/settings.md, commands.md and trendlake.config.schema.json from the settings,
// commands and jobs in the code. A test fails when one is stale.
//
//   npm run docs settings

const REFERENCE = join(import.meta.dirname, '../docs/reference');
const GENERATED = '<!-- generated: change the code, then npm run docs settings -->';

const shown = (text: string): string =>
  text
    .replaceAll('<', '&lt;')
    .replace(/docs\/(guides\/|reference\/)([\w-]+)\.md/g, (_, folder: string, page: string) =>
      folder === 'reference/' ? `[${page}](${page}.md)` : `[${page}](../${folder}${page}.md)`,
    );

const settingLines = Object.values(SETTINGS).map(
  ({ env, default: value, help }) =>
    `- \`${env}\`${value === undefined ? '' : ` (\`${value}\`)`}: ${shown(help)}`,
);

/** The page of settings. */
export const settingsPage = (): string => `# Settings

${GENERATED}

A setting is an environment variable, or its name in camel case without \`TRENDLAKE_\` in
\`trendlake.config.json\` in the working folder. So \`TRENDLAKE_BASE_URL\` is \`baseUrl\`:

\`\`\`json
{ "baseUrl": "https://api.example.com/v1", "tier": "beta", "platforms": "tiktok,youtube" }
\`\`\`

Command-line flags win over the environment, the environment over the file, and the file over the
defaults, which are in brackets below. \`trendlake init\` writes the file, with a \`$schema\` so that
editors complete it. \`trendlake config check\` shows where each setting comes from. An unknown
name or an invalid value stops every command with exit code 2. Only the file can hold
[several keys](../guides/many-machines.md#many-keys).

${settingLines.join('\n')}
`;

/** The page of commands, exit codes and jobs. */
export const commandsPage = (): string => `# Commands

${GENERATED}

\`trendlake COMMAND --help\` shows options and examples. In a checkout, type
\`npm run -s trendlake -- COMMAND\`. All take \`--data-dir\`, \`--config\`, \`--quiet\` and
\`--verbose\`. Most take \`--json\`, which prints one JSON document.

${COMMANDS.map(({ name, summary }) => `- \`${name}\`: ${shown(summary)}`).join('\n')}

## Exit codes

- 0: complete
- 1: failed
- 2: wrong usage or configuration; no call was made
- 3: partial: some requests failed, the rest was loaded
- 75: paused or stopped; the next run resumes

## Jobs

\`trendlake schedule\` runs these jobs, at cron times in \`TRENDLAKE_TIMEZONE\`. Change them with
\`TRENDLAKE_SCHEDULES\`.

${[...JOBS, ...CHORES].map(({ name, schedule }) => `- \`${name}\`: \`${schedule}\``).join('\n')}
`;

/** The schema also accepts the text that the environment variable would hold. */
const valueSchema = ({ schema }: TextReader<unknown>): JsonSchema => {
  if (schema === undefined) return { type: 'string' };
  if ('enum' in schema) return schema;
  const text =
    schema.type === 'integer' ? { type: 'string', pattern: '^[0-9]+$' } : { type: 'string' };
  return { anyOf: [schema, text] };
};

const settingSchema = ({ env, read, help, default: value }: Setting<unknown>): JsonSchema => ({
  description: `${help} Environment: ${env}.${value === undefined ? '' : ` Default: ${value}.`}`,
  ...valueSchema(read),
});

/** JSON Schema of trendlake.config.json, with which editors complete and check it. */
export const configSchema = (): string => {
  const settings = Object.entries<Setting<unknown>>(SETTINGS);
  const fields = Object.entries<TextReader<unknown>>(KEY_FIELDS);
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'trendlake.config.json',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(settings.map(([name, setting]) => [name, settingSchema(setting)])),
      keys: {
        description: 'Several keys. See docs/guides/many-machines.md.',
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: Object.fromEntries(fields.map(([name, read]) => [name, valueSchema(read)])),
          required: ['name', 'keyEnv'],
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
};

if (import.meta.main) {
  writeFileSync(join(REFERENCE, '../../trendlake.config.schema.json'), configSchema());
  writeFileSync(join(REFERENCE, 'settings.md'), settingsPage());
  writeFileSync(join(REFERENCE, 'commands.md'), commandsPage());
}
