import { html, raw } from 'hono/html';
import type { Reliability } from '../../learn/forecast/reliability.ts';
import { digits } from './figures.ts';
import type { Html } from './html.ts';

const SIDE = 300;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** Dots of forecast against actual shares over the diagonal where both are equal. Needs no script. */
export const calibrationChart = (bins: Reliability['bins']): Html => {
  const most = Math.max(...bins.map(({ judged }) => judged));
  const x = (share: number): string => (SIDE * share).toFixed(1);
  const y = (share: number): string => (SIDE * (1 - share)).toFixed(1);
  const rules = TICKS.map((tick) => `M0 ${y(tick)}H${SIDE}M${x(tick)} 0V${SIDE}`).join('');
  const label = `Forecast and actual shares: ${bins.map(({ stated, came }) => `${percent(stated)} forecast, ${percent(came)} came`).join('; ')}`;
  return html`<figure class="calibration"><div class="square" role="img" aria-label="${label}"><svg viewBox="0 0 ${SIDE} ${SIDE}" aria-hidden="true">${raw(`<path class="rule" d="${rules}"/><path class="even" d="M0 ${SIDE}L${SIDE} 0"/>`)}${bins.map(
    ({ stated, came, judged }) =>
      html`<circle cx="${x(stated)}" cy="${y(came)}" r="${(4 + 12 * Math.sqrt(judged / most)).toFixed(1)}"><title>${percent(stated)} forecast, ${percent(came)} reached the top 10 %, ${digits(judged)} forecasts</title></circle>`,
  )}</svg>${TICKS.map((tick) => html`<span class="y" style="top:${100 - 100 * tick}%">${percent(tick)}</span><span class="x" style="left:${100 * tick}%">${percent(tick)}</span>`)}</div>
<figcaption class="small soft">across: forecast chance of the top 10 %, up: share that got there</figcaption></figure>`;
};
