/**
 * The look of all pages: one column on a phone, two or three on a desk, light or dark as the reader
 * has it. Colours are the variables of `:root`; both sets keep small text at a contrast of 4.5.
 */
export const STYLE = `
:root { color-scheme: light dark; --ink: #182230; --soft: #5b667a; --line: #e6e9ef; --ground: #f4f6f9; --card: #fff; --mark: #2f5fe3; --wash: #eaf0ff; --up: #0b7a57; --down: #b93815; --fresh: #12a577; --old: #e08a1e; --past: #fff4dd; --past-line: #e5c98c; --line-2: #c2410c; --line-3: #7c3aed; --line-4: #0f766e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf1; --soft: #97a1b3; --line: #283042; --ground: #0e1219; --card: #171d28; --mark: #86a8ff; --wash: #1d2740; --up: #4fd1a1; --down: #ff9c7a; --fresh: #2fc794; --old: #f0a94a; --past: #2b2413; --past-line: #5c4c22; --line-2: #fb9a5c; --line-3: #c4a7ff; --line-4: #5ad1c0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: var(--mark); text-decoration: none; } a:hover { text-decoration: underline; } p a, .noticed a, .notice a, .about a:not(.tabs a), .paging .soft a { text-decoration: underline; text-underline-offset: 2px; } :focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
header, main, footer { max-width: 1320px; margin: 0 auto; padding: 0 20px; }
h1 { font-size: 22px; line-height: 1.25; margin: 0; letter-spacing: -.02em; overflow-wrap: anywhere; } h1 svg { vertical-align: -3px; margin-right: 8px; }
h2 { font-size: 15px; margin: 0 0 10px; } h3 { font-size: 14px; margin: 18px 0 6px; } h2 a { color: inherit; }
h2 .soft, h3 .soft { font-weight: 400; margin-left: 4px; }
.soft { color: var(--soft); } .small { font-size: 13px; } .up { color: var(--up); } .down { color: var(--down); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 8px; top: 8px; background: var(--card); padding: 6px 12px; border-radius: 8px; z-index: 2; }
header:not(:has(.bar)) { display: flex; padding-top: 20px; padding-bottom: 16px; }
.bar { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; padding: 14px 0 10px; }
.brand { color: var(--ink); font-weight: 700; font-size: 18px; letter-spacing: -.02em; } .brand:hover { text-decoration: none; } .brand svg { vertical-align: -3px; margin-right: 7px; }
.pages { display: flex; flex-wrap: wrap; gap: 2px; } .pages a { padding: 5px 9px; border-radius: 8px; color: var(--soft); } .pages a:hover { text-decoration: none; color: var(--ink); background: var(--card); } .pages a[aria-current] { background: var(--card); color: var(--ink); font-weight: 600; box-shadow: inset 0 -2px var(--mark); }
.fresh-line { margin-left: auto; } .dot { display: inline-block; width: 9px; height: 9px; border-radius: 50%; background: var(--old); margin-right: 7px; } .dot.fresh { background: var(--fresh); } #live:not(:empty) { margin-right: 14px; font-variant-numeric: tabular-nums; white-space: nowrap; } #live.on::before, #live.off::before { content: ''; display: inline-block; width: 9px; height: 9px; border-radius: 50%; background: var(--old); margin-right: 7px; } #live.on::before { background: var(--fresh); } .commands button { margin-left: 8px; }
form { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
input, button, select { font: inherit; font-size: 13px; padding: 5px 10px; border: 1px solid color-mix(in srgb, var(--soft) 75%, var(--card)); border-radius: 8px; background: var(--card); color: inherit; } button { cursor: pointer; } ::placeholder { color: var(--soft); opacity: 1; }
.time { gap: 6px 10px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 12px; background: var(--card); } .time input { padding: 3px 8px; } .time button { padding: 3px 12px; }
.time.past { background: var(--past); border-color: var(--past-line); } .then { margin: 0 0 0 auto; }
.arrows { display: inline-flex; gap: 2px; } .arrow { display: inline-block; min-width: 28px; padding: 1px 8px 3px; text-align: center; border-radius: 7px; font-size: 17px; line-height: 1.3; } a.arrow:hover { background: var(--wash); text-decoration: none; } .off { color: var(--soft); }
.ranges { display: inline-flex; flex-wrap: wrap; gap: 2px 14px; margin-left: 4px; } .ranges .now { font-weight: 600; } .ranges span.now { color: var(--soft); }
.head { display: flex; flex-wrap: wrap; gap: 8px 18px; align-items: center; padding: 18px 0 14px; } .about { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; overflow-wrap: anywhere; }
.tabs { display: flex; flex-wrap: wrap; gap: 2px; padding: 3px; border-radius: 10px; background: var(--card); border: 1px solid var(--line); } .tabs a { padding: 3px 12px; border-radius: 7px; color: var(--soft); } .tabs a:hover { text-decoration: none; color: var(--ink); } .tabs a[aria-current] { background: var(--mark); color: var(--card); font-weight: 600; }
main > section, main > .grid, main > .columns, main > .tiles, main > .stack { margin: 0 0 16px; }
.grid, .columns, .stack { display: grid; gap: 16px; align-items: start; grid-template-columns: minmax(0, 1fr); } .stack { align-content: start; }
@media (min-width: 940px) { .grid { grid-template-columns: minmax(0, 8fr) minmax(0, 5fr); } .grid .wide { grid-column: 1 / -1; } .columns { grid-template-columns: repeat(3, minmax(0, 1fr)); } .columns.halves { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 16px 18px; overflow-wrap: break-word; } section > p:last-child { margin-bottom: 0; } section > p:first-child { margin-top: 0; }
.over { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; justify-content: space-between; } .files { display: inline-flex; gap: 14px; }
.tiles { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); } .tile { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 12px 18px; min-width: 0; } .tile dd { margin: 0; } .tile .one { display: block; } .tile b { display: block; font-size: 21px; letter-spacing: -.02em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; } td, th { padding: 7px 12px 7px 0; text-align: left; vertical-align: middle; border-top: 1px solid var(--line); font-weight: 400; } tr:first-child > td, thead th { border-top: 0; } td:last-child, th:last-child { padding-right: 0; }
thead th { color: var(--soft); font-size: 12px; padding-top: 0; white-space: nowrap; } thead th a { color: inherit; } th[aria-sort] a { color: var(--ink); font-weight: 600; } .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.data tbody tr:hover > td { background: color-mix(in srgb, var(--wash) 45%, transparent); } tr[aria-current] > td { background: var(--wash); }
.data td:first-child.n { width: 34px; padding-right: 12px; }
.title, .one { display: -webkit-box; -webkit-line-clamp: 1; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; text-align: left; } .title { color: var(--ink); font-weight: 500; } a.one.soft { color: var(--soft); }
.spark { display: block; width: 84px; height: 24px; } .spark path { fill: none; stroke: var(--mark); stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; vector-effect: non-scaling-stroke; } .spark path.under { fill: var(--wash); stroke: none; }
.meter { height: 4px; border-radius: 2px; background: var(--mark); opacity: .75; margin-top: 4px; }
.mark { font-size: 11px; border: 1px solid color-mix(in srgb, var(--soft) 60%, var(--card)); border-radius: 99px; padding: 0 7px; color: var(--soft); white-space: nowrap; } .chip { display: inline-block; border-radius: 99px; padding: 0 9px; background: var(--wash); margin: 2px 2px 2px 0; max-width: 100%; overflow-wrap: anywhere; }
.empty { margin: 6px 0; } .empty .commands { list-style: none; padding: 0; display: grid; gap: 6px; justify-content: start; } .commands code { background: var(--ground); border-radius: 8px; padding: 5px 12px; } .notice { margin: 0 0 10px; padding: 6px 12px; border-radius: 8px; background: var(--wash); } .noticed li { padding: 7px 0; border-top: 1px solid var(--line); } .noticed li:first-child { border-top: 0; } .noticed .title { font-weight: 400; -webkit-line-clamp: 2; color: var(--soft); } .plain { list-style: none; margin: 0 0 12px; padding: 0; }
.paging { display: flex; flex-wrap: wrap; gap: 6px 18px; align-items: center; justify-content: space-between; padding-top: 10px; border-top: 1px solid var(--line); } .steps { display: inline-flex; gap: 14px; }
.search { align-items: end; } .search label { display: grid; gap: 2px; } .search .grow { flex: 1 1 260px; } .search input { width: 100%; } .search input, .search select, .search button { font-size: 15px; padding: 6px 12px; }
.facts { display: flex; flex-wrap: wrap; gap: 10px 28px; margin: 4px 0 14px; } .facts dt { font-size: 12px; color: var(--soft); } .facts dd { margin: 0; font-size: 17px; font-weight: 600; }
.findings td:last-child { width: 90px; } details { margin-top: 8px; } summary { cursor: pointer; color: var(--mark); padding: 4px 0; } .recipe { display: grid; gap: 10px 28px; grid-template-columns: repeat(auto-fit, minmax(260px, 1fr)); margin: 6px 0 12px; } .recipe dd { margin: 0; } .keys { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 6px; padding: 0; list-style: none; } .keys i { display: inline-block; width: 14px; height: 3px; border-radius: 2px; vertical-align: 3px; margin-right: 6px; }
#chart { min-height: 280px; } #chart .spark { width: 100%; height: 280px; } #read { min-height: 20px; }
footer { display: flex; flex-wrap: wrap; gap: 8px 18px; align-items: center; padding-top: 6px; padding-bottom: 36px; } footer form { margin-left: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--ground); border-radius: 8px; padding: 10px 12px; font-size: 12.5px; } code { font-size: 13px; } h2 code { font-size: 14px; }
.contents { columns: 2 420px; } .contents a, .contents span { display: block; } .contents a { margin-bottom: 8px; overflow-wrap: anywhere; }
.reference section { overflow-x: auto; scroll-margin-top: 12px; } .reference td { vertical-align: top; overflow-wrap: break-word; } .reference .n { width: 44px; font-size: 13px; text-align: left; }
@media (min-width: 940px) { .reference td:first-child:not(.n) { width: 20%; } .reference td:nth-child(2):not(:last-child) { width: 32%; } }
textarea { font: inherit; font-size: 13px; width: 100%; margin-top: 8px; padding: 6px 10px; border: 1px solid color-mix(in srgb, var(--soft) 75%, var(--card)); border-radius: 8px; background: var(--card); color: inherit; } [hidden] { display: none !important; } #try-form > * { min-width: 0; max-width: 100%; } #try-form .path { display: flex; flex: 1 1 260px; align-items: center; gap: 4px; } #try-path { flex: 1; min-width: 0; } #try-response { max-height: 420px; overflow: auto; }
.tag { font-size: 11px; border: 1px solid var(--line); border-radius: 99px; padding: 1px 8px; color: var(--soft); }
@media (max-width: 939px) { .no-tablet { display: none; } }
@media (max-width: 560px) { .time { gap: 6px; padding: 8px 10px; } .time .pick { order: 2; flex: 1; display: flex; } .time .pick span { position: absolute; clip-path: inset(50%); } .time .pick input { flex: 1; min-width: 0; width: 0; } .time .arrows { order: 1; } .time .pick ~ .arrows { order: 3; } .time button { order: 4; } .time .ranges { order: 5; } .then { order: 6; margin: 0; } .arrow { min-width: 24px; padding: 1px 5px 3px; } header, main, footer { padding: 0 12px; } .no-phone { display: none; } .title { -webkit-line-clamp: 2; } .spark { width: 48px; } .tile b { font-size: 18px; } section { padding: 14px; } input, select { font-size: 16px; } .pages a { padding: 5px 8px; } .fresh-line { margin-left: 0; } .tiles { gap: 10px; grid-template-columns: 1fr 1fr; } }
`;
