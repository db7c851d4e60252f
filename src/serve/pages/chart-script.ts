/** Draws the timeline that the page carries as JSON. Runs in the browser, after uPlot. */
export const CHART_SCRIPT = `
const place = document.getElementById('chart');
const read = document.getElementById('read');
const points = JSON.parse(document.getElementById('timeline').textContent);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });
const inUtc = (parts) => { const { format } = new Intl.DateTimeFormat('en', { ...parts, timeZone: 'UTC' }); return (at) => format(at * 1000); };
const time = inUtc({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const [month, day, hour] = [inUtc({ month: 'short', year: 'numeric' }), inUtc({ month: 'short', day: 'numeric' }), inUtc({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })];
const dates = (_, ticks, _axis, _space, step) => ticks.map((at, i) => {
  if (step >= 86400) return (step < 2e6 ? day : month)(at);
  return hour(at) + (i > 0 && day(at) === day(ticks[i - 1]) ? '' : '\\n' + day(at));
});
const rest = read.textContent;
const tell = ({ cursor: { idx } }) => {
  const [at, views] = idx == null ? [] : points[idx];
  read.textContent = at === undefined ? rest : time(at) + ' UTC: ' + (views == null ? 'not known' : views.toLocaleString('en') + ' views');
};
const draw = () => {
  place.replaceChildren();
  const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  return new uPlot({
    width: place.clientWidth, height: 250, tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'UTC'), legend: { show: false }, hooks: { setCursor: [tell] }, cursor: { y: false },
    series: [{}, { stroke: colour('--mark'), fill: colour('--wash'), width: 2, spanGaps: true, points: { show: points.length < 60, size: 5, fill: colour('--card') } }],
    axes: [{ ...axis, values: dates }, { ...axis, size: 56, values: (_, ticks) => ticks.map((v) => short.format(v)) }],
  }, [points.map((p) => p[0]), points.map((p) => p[1])], place);
};
let chart = draw();
addEventListener('resize', () => chart.setSize({ width: place.clientWidth, height: 250 }));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { chart = draw(); });
`;
