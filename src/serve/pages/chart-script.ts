/** Draws the timeline that the page carries as JSON. Runs in the browser, after uPlot. */
export const CHART_SCRIPT = `
const place = document.getElementById('chart');
const read = document.getElementById('read');
const points = JSON.parse(document.getElementById('timeline').textContent);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = new Intl.NumberFormat('en', { notation: 'compact' });
const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const rest = read.textContent;
const tell = ({ cursor: { idx } }) => {
  const [at, views] = idx == null ? [] : points[idx];
  read.textContent = at === undefined ? rest : time.format(at * 1000) + ': ' + (views == null ? 'not known' : views.toLocaleString('en') + ' views');
};
const draw = () => {
  place.replaceChildren();
  const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  return new uPlot({
    width: place.clientWidth, height: 250, legend: { show: false }, hooks: { setCursor: [tell] }, cursor: { y: false },
    series: [{}, { stroke: colour('--mark'), fill: colour('--wash'), width: 2, spanGaps: true, points: { show: points.length < 60, size: 5, fill: colour('--card') } }],
    axes: [axis, { ...axis, size: 56, values: (_, ticks) => ticks.map((v) => short.format(v)) }],
  }, [points.map((p) => p[0]), points.map((p) => p[1])], place);
};
let chart = draw();
addEventListener('resize', () => chart.setSize({ width: place.clientWidth, height: 250 }));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { chart = draw(); });
`;
