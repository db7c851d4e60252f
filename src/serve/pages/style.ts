/** The look of both pages: one column on a phone, two on a desk, light or dark as the reader has it. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #182230; --soft: #5b667a; --line: #e6e9ef; --ground: #f4f6f9; --card: #fff; --mark: #2f5fe3; --wash: #eaf0ff; --up: #0b7a57; --down: #b93815; --fresh: #12a577; --old: #e08a1e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf1; --soft: #97a1b3; --line: #283042; --ground: #0e1219; --card: #171d28; --mark: #86a8ff; --wash: #1d2740; --up: #4fd1a1; --down: #ff9c7a; --fresh: #2fc794; --old: #f0a94a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: var(--mark); text-decoration: none; } a:hover { text-decoration: underline; } :focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
header, main { max-width: 1240px; margin: 0 auto; padding: 0 20px; }
header { display: flex; flex-wrap: wrap; gap: 10px 22px; align-items: center; padding-top: 20px; padding-bottom: 16px; }
h1 { font-size: 21px; margin: 0; letter-spacing: -.02em; } h1 svg { vertical-align: -3px; margin-right: 8px; }
h2 { font-size: 15px; margin: 0 0 10px; } h3 { font-size: 14px; margin: 18px 0 6px; }
h2 .soft { font-weight: 400; margin-left: 4px; }
.soft { color: var(--soft); } .small { font-size: 13px; }
nav { display: flex; gap: 2px; padding: 3px; border-radius: 99px; background: var(--card); border: 1px solid var(--line); }
nav a { padding: 4px 14px; border-radius: 99px; color: var(--soft); } nav a:hover { text-decoration: none; color: var(--ink); } nav a[aria-current] { background: var(--mark); color: var(--card); font-weight: 600; }
.dot { display: inline-block; width: 9px; height: 9px; border-radius: 50%; background: var(--old); margin-right: 7px; } .dot.fresh { background: var(--fresh); }
form { display: flex; gap: 8px; align-items: center; margin-left: auto; } .unread { width: 100%; margin: 0; overflow-wrap: anywhere; } input, button { font: inherit; font-size: 13px; padding: 5px 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: inherit; } button { cursor: pointer; } input, button { border-color: color-mix(in srgb, var(--soft) 75%, var(--card)); } ::placeholder { color: var(--soft); opacity: 1; }
.grid { display: grid; gap: 16px; align-items: start; grid-template-columns: minmax(0, 1fr); padding-bottom: 40px; }
.stack { display: grid; gap: 16px; grid-template-columns: minmax(0, 1fr); align-content: start; }
.tiles { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); }
.tiles section { padding: 13px 18px; } .tiles b { display: block; font-size: 22px; letter-spacing: -.02em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .growth { scroll-margin-top: 12px; }
@media (min-width: 940px) { .grid { grid-template-columns: minmax(0, 8fr) minmax(0, 5fr); } .wide { grid-column: 1 / -1; } }
section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 16px 18px; overflow-x: auto; } section > p:last-child { margin-bottom: 0; } section > p:first-child { margin-top: 0; }
table { width: 100%; border-collapse: collapse; } td, th { padding: 7px 8px 7px 0; text-align: left; vertical-align: middle; border-top: 1px solid var(--line); font-weight: 400; } tr:first-child > td, thead th { border-top: 0; } td:last-child, th:last-child { padding-right: 0; }
thead th { color: var(--soft); font-size: 12px; padding-top: 0; } .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.videos td:last-child, .videos th:last-child { padding-right: 8px; } tr:has([aria-current]) > td { background: var(--wash); } tr:has([aria-current]) > td:first-child { box-shadow: inset 3px 0 var(--mark); }
td.place { width: 32px; padding-right: 12px; }
.title, .one { display: -webkit-box; -webkit-line-clamp: 1; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; text-align: left; } .title { color: var(--ink); font-weight: 500; }
.spark { display: block; width: 84px; height: 24px; } .spark path { fill: none; stroke: var(--mark); stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; vector-effect: non-scaling-stroke; } .spark path.under { fill: var(--wash); stroke: none; }
.bar { height: 4px; border-radius: 2px; background: var(--mark); opacity: .75; margin-top: 4px; } .up { color: var(--up); } .down { color: var(--down); }
.growth { display: grid; gap: 4px 28px; grid-template-columns: minmax(0, 1fr); } .growth .title { font-size: 17px; -webkit-line-clamp: 2; margin: 0; } .about { margin: 4px 0; overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: 10px 18px; margin: 8px 0 0; } .facts dt { font-size: 12px; color: var(--soft); } .facts dd { margin: 0; font-size: 17px; font-weight: 600; }
@media (min-width: 940px) { .growth { grid-template-columns: minmax(0, 4fr) minmax(0, 9fr); } .facts { display: grid; grid-template-columns: repeat(2, max-content); gap: 14px 44px; margin-top: 18px; } }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--ground); border-radius: 8px; padding: 10px 12px; font-size: 12.5px; } code { font-size: 13px; } h2 code { font-size: 14px; }
.contents { columns: 2 420px; } .contents a, .contents span { display: block; } .contents a { margin-bottom: 8px; overflow-wrap: anywhere; }
.reference td { vertical-align: top; overflow-wrap: break-word; } .reference section { scroll-margin-top: 12px; } .reference .n { width: 44px; font-size: 13px; text-align: left; }
@media (min-width: 940px) { .reference td:first-child:not(.n) { width: 20%; } .reference td:nth-child(2):not(:last-child) { width: 32%; } }
.tag { font-size: 11px; border: 1px solid var(--line); border-radius: 99px; padding: 1px 8px; color: var(--soft); }
#chart { min-height: 250px; } #chart .spark { width: 100%; height: 250px; } #read { min-height: 20px; }
@media (max-width: 560px) { form { width: 100%; } input { flex: 1; min-width: 0; font-size: 16px; } .title { -webkit-line-clamp: 2; } .spark { width: 48px; } .tiles b { font-size: 19px; } }
`;
