/** The style of charts that are drawn without a script. */
export const CHART_STYLE = `
.lines { margin: 6px 0 14px; } .plot { position: relative; height: 220px; margin-left: 46px; } .plot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.lines path { fill: none; vector-effect: non-scaling-stroke; } .lines .rule { stroke: var(--line); } .lines .now { stroke: var(--soft); stroke-dasharray: 2 3; }
.lines .line { stroke: var(--mark); stroke-width: 2; stroke-linejoin: round; } .lines .plan { stroke-dasharray: 5 5; } .lines .even { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 1 4; }
.lines .c1 { stroke: var(--up); } .lines .c2 { stroke: var(--down); } .lines .c3 { stroke: var(--old); }
.plot .y { position: absolute; right: 100%; margin-right: 8px; transform: translateY(-50%); font-size: 12px; color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
.plot .at { position: absolute; top: 0; margin-left: 5px; font-size: 12px; color: var(--soft); } .plot .at.end { margin-left: 0; transform: translateX(calc(-100% - 5px)); }
.xs { position: relative; height: 18px; margin: 4px 0 2px 46px; font-size: 12px; color: var(--soft); } .xs span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.lines figcaption { display: flex; flex-wrap: wrap; gap: 2px 18px; margin-left: 46px; color: var(--soft); } .key::before { content: ''; display: inline-block; width: 18px; margin-right: 7px; vertical-align: middle; border-top: 2px solid var(--mark); } .key.plan::before { border-top-style: dashed; } .key.even::before { border-top: 2px dotted var(--soft); } .key.c1::before { border-color: var(--up); } .key.c2::before { border-color: var(--down); } .key.c3::before { border-color: var(--old); }
`;

export const PIPELINE_STYLE = `${CHART_STYLE}
.outcome { display: inline-block; white-space: nowrap; } .outcome::before { content: ''; display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-right: 7px; background: var(--soft); } .outcome.complete::before, .outcome.done::before { background: var(--fresh); } .outcome.partial::before, .outcome.paused::before, .outcome.skipped::before { background: var(--old); } .outcome.failed::before { background: var(--down); } .outcome.running::before, .outcome.planned::before { background: var(--mark); }
.lanes { margin: 4px 0 16px; } .lane { display: grid; grid-template-columns: 76px minmax(0, 1fr); align-items: center; } .lane > div { position: relative; overflow-x: clip; height: 18px; border-bottom: 1px solid var(--line); } .lane.days > div { border: 0; }
.lane i { position: absolute; top: 3px; height: 11px; min-width: 3px; max-width: 100%; border-radius: 2px; background: var(--fresh); } .lane i.partial, .lane i.paused { background: var(--old); } .lane i.failed { background: var(--down); } .lane i.running { background: var(--mark); }
.lane b { position: absolute; white-space: nowrap; font-weight: 400; font-size: 12px; color: var(--soft); } .lane b::before { content: ''; position: absolute; left: -1px; bottom: 100%; height: 3px; border-left: 1px solid var(--soft); }
.request { overflow-wrap: anywhere; } .failures li { margin-bottom: 10px; } .wrong { border-color: var(--past-line); background: var(--past); }
`;
