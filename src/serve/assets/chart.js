// Draws the chart that the page carries as JSON (src/serve/pages/chart.ts). Runs after uPlot.
{
  const HEIGHT = 320,
    DAY = 86400,
    STEPS = 1000;
  const figure = document.getElementById('chart');
  const frame = figure.closest('figure');
  const part = (name) => frame.querySelector(`.chart-${name}`);
  const [tools, range, said] = ['tools', 'range', 'said'].map(part);
  const [resetButton, logButton, pngButton] = tools.children;
  const [fromSlider, toSlider] = range.querySelectorAll('input');
  const points = JSON.parse(document.getElementById('timeline').textContent);
  const fan = JSON.parse(document.getElementById('forecast').textContent);
  const marks = JSON.parse(figure.dataset.marks);
  const { unit, axis: axisKind } = figure.dataset;
  const names = figure.dataset.names.split('|');
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const lineColours = () => ['--mark', '--line-2', '--line-3', '--line-4'].map(colour);
  const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });
  const known = (count) => (count == null ? 'not known' : count.toLocaleString('en'));

  const iso = (at) => new Date(at * 1000).toISOString();
  const span = (s) =>
    s < 2 * DAY ? `${Math.round(s / 360) / 10} h` : `${Math.round(s / (DAY / 10)) / 10} d`;
  const whenOf = (at) =>
    axisKind === 'age' ? `${span(at)} old` : `${iso(at).slice(0, 16).replace('T', ' ')} UTC`;
  const xNames = (_, ticks, _axis, _space, step) =>
    ticks.map((at, i) => {
      if (axisKind === 'age') return span(at);
      if (step >= 28 * DAY) return iso(at).slice(0, 7);
      if (step >= DAY) return iso(at).slice(5, 10);
      const isSameDay = i > 0 && iso(at).slice(0, 10) === iso(ticks[i - 1]).slice(0, 10);
      return iso(at).slice(11, 16) + (isSameDay ? '' : `\n${iso(at).slice(5, 10)}`);
    });

  // the pages are refreshed in place and run this again: zoom and axis stay
  globalThis.chartKept ??= { isLog: false, zoom: null };
  const kept = globalThis.chartKept;
  const last = points.findLast((p) => p[1] != null);
  const ahead = last === undefined ? [] : fan.filter((f) => f[0] > points.at(-1)[0]);
  const xs = points.concat(ahead).map((p) => p[0]);
  const whole = [xs[0], xs.at(-1)];
  const shortest = (whole[1] - whole[0]) / 100;
  const fanOf = (at) =>
    points.map((p) => (p === last ? p[1] : null)).concat(ahead.map((f) => f[at]));
  const table = [
    xs,
    ...names.map((_, i) => points.map((p) => p[i + 1] ?? null).concat(ahead.map(() => null))),
    ...(ahead.length > 0 ? [fanOf(3), fanOf(1), fanOf(2)] : []),
  ];
  const isEmptyAt = (idx) => table.slice(1).every((column) => column[idx] == null);

  /** Value of a line between two of its points; none outside of them. */
  const between = (column, x) => {
    const line = column.flatMap((y, i) => (y == null ? [] : [[xs[i], y]]));
    const next = line.findIndex((p) => p[0] > x);
    if (next < 1) return [];
    const [[x0, y0], [x1, y1]] = [line[next - 1], line[next]];
    return [y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)];
  };
  /** Values that the lines have inside a span of x, also where they only cross its edges. */
  const valuesIn = (columns, [from, to]) =>
    columns.flatMap((column) => {
      const inside = column.filter((y, i) => y != null && xs[i] >= from && xs[i] <= to);
      return [...inside, ...between(column, from), ...between(column, to)];
    });
  let shown = kept.zoom ?? whole;
  let chart;
  const first = table[1].filter((v) => v != null);
  // an area says how large a count is, so it is drawn only above an axis that starts at 0
  const isArea = names.length === 1 && Math.min(...first) < 0.5 * Math.max(...first);
  const yRange = (columns) => () => {
    const values = valuesIn(columns, shown);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    if (!Number.isFinite(low)) return kept.isLog ? [1, 10] : [0, 1];
    if (kept.isLog) return uPlot.rangeLog(low, high, 10, false);
    if (isArea && shown === whole) return [0, uPlot.rangeNum(0, high, 0.1, true)[1]];
    const [least, most] = uPlot.rangeNum(low, high, 0.1, true);
    return [low >= 0 ? Math.max(0, least) : least, most];
  };

  const tip = document.createElement('div');
  tip.className = 'chart-tip';
  const readings = (idx) => {
    const f = ahead[idx - points.length];
    if (f !== undefined)
      return [
        `forecast ${known(f[2])} ${unit}`,
        `8 in 10 land between ${known(f[1])} and ${known(f[3])}`,
      ];
    const p = points[idx];
    if (names.length > 1)
      return names.flatMap((name, i) => {
        if (p[i + 1] != null) return `${name} ${known(p[i + 1])}`;
        return between(table[i + 1], p[0]).map((y) => `${name} about ${known(Math.round(y))}`);
      });
    const before = points.slice(0, idx).findLast((one) => one[1] != null);
    const gain = before === undefined || p[1] == null ? undefined : p[1] - before[1];
    return [
      p[1] == null ? 'not known' : `${known(p[1])} ${unit}`,
      ...(gain === undefined
        ? []
        : [`${gain < 0 ? '−' : '+'}${known(Math.abs(gain))} in ${span(p[0] - before[0])}`]),
    ];
  };
  const showTip = (u) => {
    const { idx, left } = u.cursor;
    tip.hidden = idx == null || left < 0;
    if (tip.hidden) {
      said.textContent = '';
      return;
    }
    const lines = [whenOf(xs[idx]), ...readings(idx)];
    tip.replaceChildren(
      ...lines.map((line, i) => {
        const row = document.createElement(i === 1 && names.length === 1 ? 'b' : 'span');
        row.textContent = line;
        if (i > 0 && names.length > 1) row.className = 'one';
        return row;
      }),
    );
    said.textContent = `${lines[0]}: ${lines.slice(1).join(', ')}`;
    const ys = table.slice(1).flatMap((column, i) => {
      const isEdge = i === names.length || i === names.length + 1;
      return column[idx] == null || isEdge ? [] : [u.valToPos(column[idx], 'y')];
    });
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const { clientWidth: width, clientHeight: height } = u.over;
    const isRight = left + tip.offsetWidth + 14 > width;
    const x = isRight ? left - tip.offsetWidth - 12 : left + 12;
    const below = bottom + 12;
    const isBelow = below + tip.offsetHeight <= height;
    const y = isBelow ? below : top - tip.offsetHeight - 12;
    tip.style.left = `${Math.max(4 - u.over.offsetLeft, x)}px`;
    tip.style.top = `${Math.max(0, y)}px`;
  };

  let isDragging = false;
  const nearest = (u, left) => {
    const wanted = u.posToVal(left, 'x');
    let best;
    for (let i = 0; i < xs.length; i++) {
      if (xs[i] < shown[0] || xs[i] > shown[1] || isEmptyAt(i)) continue;
      if (best === undefined || Math.abs(xs[i] - wanted) < Math.abs(xs[best] - wanted)) best = i;
    }
    return best;
  };
  const snapped = (u, left, top) => {
    const idx = left < 0 || isDragging ? undefined : nearest(u, left);
    return idx === undefined ? [left, top] : [u.valToPos(xs[idx], 'x'), top];
  };

  const zoomTo = (from, to) => {
    const width = Math.max(shortest, Math.min(to - from, whole[1] - whole[0]));
    const start = Math.max(whole[0], Math.min(from, whole[1] - width));
    const isWhole = start <= whole[0] && start + width >= whole[1];
    shown = isWhole ? whole : [start, start + width];
    kept.zoom = isWhole ? null : shown;
    chart.setScale('x', { min: shown[0], max: shown[1] });
    resetButton.disabled = isWhole;
    const share = (x) => Math.round((STEPS * (x - whole[0])) / (whole[1] - whole[0]));
    [fromSlider.value, toSlider.value] = [share(shown[0]), share(shown[1])];
    [fromSlider, toSlider].forEach((slider, i) => {
      slider.setAttribute('aria-valuetext', whenOf(shown[i]));
    });
    range.style.setProperty('--from', `${share(shown[0]) / 10}%`);
    range.style.setProperty('--to', `${share(shown[1]) / 10}%`);
  };
  const reset = () => zoomTo(...whole);

  /** A dot and a name where a line passed a milestone. */
  const drawMarks = (u) => {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.font = `600 ${11 * ratio}px system-ui, sans-serif`;
    ctx.lineWidth = 4 * ratio;
    ctx.lineJoin = 'round';
    ctx.textAlign = 'right';
    let before = Number.NEGATIVE_INFINITY;
    for (const [at, value] of marks) {
      if (at < shown[0] || at > shown[1]) continue;
      const [x, y] = [u.valToPos(at, 'x', true), u.valToPos(value, 'y', true)];
      ctx.fillStyle = colour('--mark');
      ctx.beginPath();
      ctx.arc(x, y, 4 * ratio, 0, 2 * Math.PI);
      ctx.fill();
      if (x - before < 34 * ratio) continue;
      before = x;
      const place = [Math.max(x - 7 * ratio, bbox.left + 34 * ratio), y - 6 * ratio];
      ctx.strokeStyle = colour('--card');
      ctx.strokeText(short.format(value), ...place);
      ctx.fillStyle = colour('--ink');
      ctx.fillText(short.format(value), ...place);
    }
    ctx.restore();
  };

  const draw = () => {
    chart?.destroy();
    figure.replaceChildren();
    const font = '12px system-ui, sans-serif';
    const grid = { stroke: colour('--line'), width: 1 };
    const axis = { stroke: colour('--soft'), grid, ticks: { show: false }, font };
    const dots = { show: points.length < 60, size: 5, fill: colour('--card') };
    const stroke = lineColours();
    const ofFan = (more) => ({ spanGaps: true, points: { show: false }, ...more });
    const from = names.length + 1;
    const data = kept.isLog
      ? table.map((column, i) => (i === 0 ? column : column.map((y) => (y > 0 ? y : null))))
      : table;
    const isAtZero = (u) => !kept.isLog && u.scales.y.min <= 0;
    chart = new uPlot(
      {
        width: figure.clientWidth,
        height: HEIGHT,
        tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'UTC'),
        padding: [12, 24, 0, 0],
        legend: { show: false },
        hooks: {
          setCursor: [showTip],
          draw: [drawMarks],
          setSelect: [
            (u) => {
              const { left, width } = u.select;
              if (width > 3) zoomTo(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
              u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            },
          ],
        },
        cursor: {
          y: false,
          move: snapped,
          drag: { x: true, y: false, setScale: false, dist: 4 },
          bind: {
            dblclick: () => () => {
              reset();
              return null;
            },
          },
          points: { size: 9, fill: (u, i) => u.series[i].stroke(), width: 0 },
        },
        scales: {
          x: { time: axisKind !== 'age', auto: false, range: () => shown },
          y: { distr: kept.isLog ? 3 : 1, range: yRange(data.slice(1)) },
        },
        series: [
          {},
          ...names.map((_, i) => ({
            stroke: stroke[i],
            ...(isArea ? { fill: (u) => (isAtZero(u) ? colour('--wash') : 'transparent') } : {}),
            width: i === 0 ? 2 : 1.5,
            spanGaps: true,
            points: dots,
          })),
          ...(ahead.length > 0
            ? [
                ofFan({ stroke: 'transparent' }),
                ofFan({ stroke: 'transparent' }),
                ofFan({ stroke: colour('--mark'), dash: [5, 5], width: 1.5 }),
              ]
            : []),
        ],
        bands: ahead.length > 0 ? [{ series: [from, from + 1], fill: colour('--wash') }] : [],
        axes: [
          {
            ...axis,
            size: 44,
            values: xNames,
            ...(axisKind === 'age'
              ? { incrs: [1, 3, 6, 12, 24, 48, 168, 336, 720, 2160, 8760].map((h) => h * 3600) }
              : {}),
          },
          {
            ...axis,
            size: 56,
            values: (_, ticks) => ticks.map((v) => (v == null ? '' : short.format(v))),
          },
        ],
      },
      data,
      figure,
    );
    tip.hidden = true;
    chart.over.append(tip);
    chart.over.addEventListener('pointerdown', () => {
      isDragging = true;
      tip.hidden = true;
    });
    zoomTo(...shown);
  };

  const putCursor = (idx) => {
    const width = shown[1] - shown[0];
    if (xs[idx] < shown[0]) zoomTo(xs[idx], xs[idx] + width);
    else if (xs[idx] > shown[1]) zoomTo(xs[idx] - width, xs[idx]);
    chart.setCursor({ left: chart.valToPos(xs[idx], 'x'), top: 10 });
  };
  const usable = xs.map((_, i) => i).filter((i) => !isEmptyAt(i));
  const step = (by) => {
    const { idx, left } = chart.cursor;
    const isOn = idx != null && left >= 0;
    const at = usable.indexOf(isOn ? idx : points.indexOf(last));
    putCursor(usable[Math.max(0, Math.min(usable.length - 1, at + (isOn ? by : 0)))]);
  };
  const zoomBy = (factor) => {
    const { idx, left } = chart.cursor;
    const middle = idx != null && left >= 0 ? xs[idx] : (shown[0] + shown[1]) / 2;
    const width = (shown[1] - shown[0]) * factor;
    zoomTo(middle - width / 2, middle + width / 2);
    if (idx != null && left >= 0) putCursor(idx);
  };
  const hide = () => chart.setCursor({ left: -10, top: -10 });
  const goBack = () => (kept.zoom === null ? hide() : reset());
  const KEYS = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    Home: () => putCursor(usable[0]),
    End: () => putCursor(usable.at(-1)),
    '+': () => zoomBy(0.5),
    '-': () => zoomBy(2),
    Escape: goBack,
  };
  figure.addEventListener('keydown', (event) => {
    const act = KEYS[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  figure.addEventListener('blur', hide);
  tools.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') goBack();
  });

  resetButton.addEventListener('click', reset);
  logButton.addEventListener('click', () => {
    kept.isLog = !kept.isLog;
    logButton.setAttribute('aria-pressed', kept.isLog);
    draw();
  });
  pngButton.addEventListener('click', () => {
    hide();
    const ratio = devicePixelRatio;
    const picture = document.createElement('canvas');
    const head = 34 * ratio;
    [picture.width, picture.height] = [chart.ctx.canvas.width, chart.ctx.canvas.height + head];
    const to = picture.getContext('2d');
    to.fillStyle = colour('--card');
    to.fillRect(0, 0, picture.width, picture.height);
    to.font = `600 ${14 * ratio}px system-ui, sans-serif`;
    to.fillStyle = colour('--ink');
    to.fillText(document.querySelector('h1').textContent, 12 * ratio, 22 * ratio);
    to.drawImage(chart.ctx.canvas, 0, head);
    picture.toBlob((blob) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `${location.pathname.slice(1).replace(/\W+/g, '-')}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });
  [fromSlider, toSlider].forEach((slider, i) => {
    slider.addEventListener('input', () => {
      const at = whole[0] + ((whole[1] - whole[0]) * slider.value) / STEPS;
      if (i === 0) zoomTo(Math.min(at, shown[1] - shortest), shown[1]);
      else zoomTo(shown[0], Math.max(at, shown[0] + shortest));
    });
  });
  addEventListener('pointerup', () => {
    isDragging = false;
  });
  tools.hidden = false;
  range.hidden = false;
  logButton.setAttribute('aria-pressed', kept.isLog);
  figure.tabIndex = 0;
  draw();
  new ResizeObserver(() => {
    if (figure.clientWidth > 0 && figure.clientWidth !== chart.width)
      chart.setSize({ width: figure.clientWidth, height: HEIGHT });
  }).observe(figure);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}
