/** Draws the timeline that the page carries as JSON. Runs in the browser, after uPlot. */
export const CHART_SCRIPT = `
const place = document.getElementById('chart');
const read = document.getElementById('read');
const points = JSON.parse(document.getElementById('timeline').textContent);
const fan = JSON.parse(document.getElementById('forecast').textContent);
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
const last = points.findLast((p) => p[1] != null);
const ahead = last === undefined ? [] : fan.filter((f) => f[0] > points.at(-1)[0]);
const tell = ({ cursor: { idx } }) => {
  const f = ahead[idx - points.length];
  if (f !== undefined) { read.textContent = time(f[0]) + ' UTC, forecast: ' + f[2].toLocaleString('en') + ' views, 80 % between ' + f[1].toLocaleString('en') + ' and ' + f[3].toLocaleString('en'); return; }
  const [at, views] = idx == null ? [] : points[idx];
  read.textContent = at === undefined ? rest : time(at) + ' UTC: ' + (views == null ? 'not known' : views.toLocaleString('en') + ' views');
};
const series = (at) => ahead.length === 0 ? [] : points.map((p) => (p === last ? p[1] : null)).concat(ahead.map((f) => f[at]));
const fanSeries = (more) => ({ spanGaps: true, points: { show: false }, ...more });
const draw = () => {
  place.replaceChildren();
  const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  return new uPlot({
    width: place.clientWidth, height: 280, tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'UTC'), legend: { show: false }, hooks: { setCursor: [tell] }, cursor: { y: false },
    series: [{}, { stroke: colour('--mark'), fill: colour('--wash'), width: 2, spanGaps: true, points: { show: points.length < 60, size: 5, fill: colour('--card') } },
      ...(ahead.length === 0 ? [] : [fanSeries({ stroke: 'transparent' }), fanSeries({ stroke: 'transparent' }), fanSeries({ stroke: colour('--mark'), dash: [5, 5], width: 1.5 })])],
    bands: ahead.length === 0 ? [] : [{ series: [2, 3], fill: colour('--wash') }],
    axes: [{ ...axis, values: dates }, { ...axis, size: 56, values: (_, ticks) => ticks.map((v) => short.format(v)) }],
  }, [points.concat(ahead).map((p) => p[0]), points.map((p) => p[1]).concat(ahead.map(() => null)), ...(ahead.length === 0 ? [] : [series(3), series(1), series(2)])], place);
};
let chart = draw();
addEventListener('resize', () => chart.setSize({ width: place.clientWidth, height: 280 }));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { chart = draw(); });
`;
