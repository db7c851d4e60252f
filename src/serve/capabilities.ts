import type { Clock } from '../clock.ts';
import { analyzeVideo } from '../lab/analyze.ts';
import type { ModelSettings } from '../lab/model.ts';
import { growthCurve } from '../lake/growth-curve.ts';
import type { Lake } from '../lake/open.ts';
import type { Capabilities } from './app.ts';
import type { SearchVideos } from './routes/search.ts';
import type { WebhookContext } from './webhook-routes.ts';

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
