// Draws the chart that the page carries as JSON (src/serve/pages/chart.ts). Runs after uPlot.
const figure = document.getElementById('chart');
const read = document.getElementById('read');
const points = JSON.parse(document.getElementById('timeline').textContent);
const fan = JSON.parse(document.getElementById('forecast').textContent);
const { unit } = figure.dataset;
const names = figure.dataset.names.split('|');
const colours = ['--mark', '--line-2', '--line-3', '--line-4'];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });
const inUtc = (parts) => {
  const { format } = new Intl.DateTimeFormat('en', { ...parts, timeZone: 'UTC' });
  return (at) => format(at * 1000);
};
const time = inUtc({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const [month, day, hour] = [
  inUtc({ month: 'short', year: 'numeric' }),
  inUtc({ month: 'short', day: 'numeric' }),
  inUtc({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
];
const dates = (_, ticks, _axis, _space, step) =>
  ticks.map((at, i) => {
    if (step >= 86400) return (step < 2e6 ? day : month)(at);
    return hour(at) + (i > 0 && day(at) === day(ticks[i - 1]) ? '' : `\n${day(at)}`);
  });
const rest = read.textContent;
const last = points.findLast((p) => p[1] != null);
const ahead = last === undefined ? [] : fan.filter((f) => f[0] > points.at(-1)[0]);
const known = (count) => (count == null ? 'not known' : count.toLocaleString('en'));
const counts = (p) =>
  names.length === 1
    ? p[1] == null
      ? 'not known'
      : `${known(p[1])} ${unit}`
    : names.map((name, i) => `${name} ${known(p[i + 1])}`).join(', ');
const tell = ({ cursor: { idx } }) => {
  const f = ahead[idx - points.length];
  if (f !== undefined) {
    read.textContent =
      time(f[0]) +
      ' UTC, forecast: ' +
      known(f[2]) +
      ' ' +
      unit +
      ', 80 % between ' +
      known(f[1]) +
      ' and ' +
      known(f[3]);
    return;
  }
  const p = idx == null ? undefined : points[idx];
  read.textContent = p === undefined ? rest : `${time(p[0])} UTC: ${counts(p)}`;
};
const fanOf = (at) => points.map((p) => (p === last ? p[1] : null)).concat(ahead.map((f) => f[at]));
const fanSeries = (more) => ({ spanGaps: true, points: { show: false }, ...more });
const draw = () => {
  figure.replaceChildren();
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const dots = { show: points.length < 60, size: 5, fill: colour('--card') };
  // an area says how large a count is, so it is drawn only above an axis that starts at 0
  const values = points.map((p) => p[1]).filter((v) => v != null);
  const isArea = names.length === 1 && Math.min(...values) < 0.5 * Math.max(...values);
  const lines = names.map((_, i) => ({
    stroke: colour(colours[i]),
    ...(isArea ? { fill: colour('--wash') } : {}),
    width: i === 0 ? 2 : 1.5,
    spanGaps: true,
    points: dots,
  }));
  const from = names.length + 1;
  const hasFan = ahead.length > 0;
  return new uPlot(
    {
      width: figure.clientWidth,
      height: 280,
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'UTC'),
      legend: { show: false },
      hooks: { setCursor: [tell] },
      cursor: { y: false },
      ...(isArea
        ? {
            scales: { y: { range: (_u, min, max) => [0, uPlot.rangeNum(min, max, 0.1, true)[1]] } },
          }
        : {}),
      series: [
        {},
        ...lines,
        ...(hasFan
          ? [
              fanSeries({ stroke: 'transparent' }),
              fanSeries({ stroke: 'transparent' }),
              fanSeries({ stroke: colour('--mark'), dash: [5, 5], width: 1.5 }),
            ]
          : []),
      ],
      bands: hasFan ? [{ series: [from, from + 1], fill: colour('--wash') }] : [],
      axes: [
        { ...axis, values: dates },
        { ...axis, size: 56, values: (_, ticks) => ticks.map((v) => short.format(v)) },
      ],
    },
    [
      points.concat(ahead).map((p) => p[0]),
      ...names.map((_, i) => points.map((p) => p[i + 1] ?? null).concat(ahead.map(() => null))),
      ...(hasFan ? [fanOf(3), fanOf(1), fanOf(2)] : []),
    ],
    figure,
  );
};
let chart = draw();
addEventListener('resize', () => chart.setSize({ width: figure.clientWidth, height: 280 }));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  chart = draw();
});
