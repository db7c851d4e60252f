import type { Clock } from '../clock.ts';
import { growthCurve } from '../history/growth-curve.ts';
import { analyzeVideo } from '../lab/analyze.ts';
import type { ModelSettings } from '../lab/model.ts';
import type { Lake } from '../lake/open.ts';
import type { Capabilities } from './app.ts';
import type { SearchVideos } from './routes/search.ts';
import type { WebhookContext } from './routes/webhooks.ts';

/** The answers that other rooms give, over one lake. Without a model, analyses are statistical. */
export const capabilitiesOf = (
  lake: Lake,
  webhooks: WebhookContext,
  deps: { clock: Clock; model: ModelSettings | undefined; searchVideos: SearchVideos },
): Capabilities => ({
  webhooks,
  curveOf: growthCurve,
  searchVideos: deps.searchVideos,
  analyze: (asked) => analyzeVideo(lake, asked, deps),
});
