import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { type Analysis, analysisResponse } from '../../base/wire/analysis-shapes.ts';
import { storeAnalysis } from '../../ingest/writers/analyses.ts';
import { openLake } from '../../lake/open.ts';
import { analyzeVideo } from '../../learn/why/analyze.ts';
import { modelSettings } from '../../learn/why/model.ts';
import { type CliIo, configOf } from '../context/io.ts';

const EXAMPLES = `
Examples:
  trendlake analyze tt_7240348510065823002
  trendlake analyze yt_dQw4w9WgXcQ --json | jq '.recipe.steps'
  trendlake analyze tt_7240348510065823002 --upstream     the analysis of the service, for one call

Uses only the numbers in the lake. With TRENDLAKE_MODEL_URL, TRENDLAKE_MODEL_NAME and
TRENDLAKE_MODEL_KEY (any OpenAI-compatible endpoint) a model writes the text from the same numbers.
trendlake keeps each response.`;

const wordsOf = ({ id, method, summary, why, recipe }: Analysis): string =>
  [
    `${id} (${method})`,
    summary,
    '',
    'Why, strongest first (0: may be chance, 1: clear evidence):',
    ...why.map(
      ({ factor, finding, strength }) => `  ${strength.toFixed(2)}  ${factor}: ${finding}`,
    ),
    '',
    'Recipe:',
    `  Hook: ${recipe.hook}`,
    `  Format: ${recipe.format}`,
    `  Caption: ${recipe.caption}`,
    `  Hashtags: ${recipe.hashtags.map((tag) => `#${tag}`).join(' ')}`,
    ...recipe.postingWindows.map(
      ({ weekday, fromHour, toHour, finding }) =>
        `  Publish: ${weekday === 'any' ? 'any day' : weekday}, ${fromHour} to ${toHour} h UTC. ${finding}`,
    ),
    ...recipe.steps.map((step, i) => `  ${i + 1}. ${step}`),
  ].join('\n');

const ofLake = async (id: string, io: CliIo): Promise<void> => {
  const config = configOf(io);
  const model = modelSettings(config);
  using lake = openLake(config.dataDir, { report: io.err });
  const wanted = { id, asOf: io.clock.now() };
  const analysis = await analyzeVideo(lake, wanted, { clock: io.clock, model });
  if (analysis === undefined)
    throw new UsageError(
      `No video ${id} is in the lake. Find ids with \`${commandText('search')}\` or \`${commandText('query "select id from videos"')}\`.`,
    );
  storeAnalysis(lake, analysis);
  io.show(analysis, () => wordsOf(analysis));
};

/** Prints the analysis of the service: as text if it has our fields, otherwise as JSON. */
const ofUpstream = async (id: string, io: CliIo): Promise<void> => {
  const { requestOnce } = await import('../../run/run/request-once.ts');
  const { openSession } = await import('../context/session.ts');
  await using session = await openSession(configOf(io), io);
  const response = await requestOnce(session, 'analyze', { kind: 'analyze', id });
  if (response.kind !== 'analysis') return;
  const known = analysisResponse.safeParse(response.analysis);
  const inWords = !io.isJson && known.success;
  if (inWords) io.out(wordsOf(known.data));
  else io.json(response.analysis);
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('<id>', 'id of a video, such as tt_7240348510065823002')
    .option('--json', 'the response as one JSON document')
    .option('--upstream', 'ask the service instead of the lake; spends one call')
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: { upstream?: boolean }) =>
      options.upstream === true ? ofUpstream(id, io) : ofLake(id, io),
    );
};
