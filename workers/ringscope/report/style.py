"""The style of a report's page: light and dark by the reader's system, black on white on paper."""

STYLE = """
:root { color-scheme: light dark; --ink: #1a1c20; --soft: #5a6070; --line: #d4d8e0; --ground: #fff; --raised: #f5f6f9;
  --good: #1c7c3c; --bad: #b3261e; --open: #6b5b00; --band: #3f6fd8; --s0: #2f62d0; --s1: #b5541a; --s2: #1f8a5b;
  --s3: #8a3fb0; --s4: #9a7a00; --s5: #c0306a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaf0; --soft: #a4abbb; --line: #3a404d; --ground: #14161b;
  --raised: #1d2027; --good: #63d08a; --bad: #ff8a80; --open: #e6cf5a; --band: #7ea2ff; --s0: #7ea2ff; --s1: #f0a070;
  --s2: #63d0a0; --s3: #cf9af0; --s4: #e0c860; --s5: #ff8ab0; } }
@page { size: A4; margin: 14mm 12mm; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 20px; max-width: 1000px; background: var(--ground); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 24px; margin: 0 0 4px; }
h2 { font-size: 18px; margin: 32px 0 8px; }
h3 { font-size: 14px; margin: 20px 0 6px; }
p { margin: 6px 0; } .soft { color: var(--soft); } code { font: 12px/1.4 ui-monospace, monospace; }
table { overflow-wrap: normal; border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 3px 8px 3px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; } td.n, th.n { text-align: right; white-space: nowrap; }
td:first-child, .rows td { overflow-wrap: anywhere; } .rows td.n { overflow-wrap: normal; }
.rows { font-size: 12px; } .wide { overflow-x: auto; }
.word { font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
.judged { background: var(--raised); border-left: 4px solid currentColor; padding: 8px 12px; margin: 8px 0; }
.judged p { color: var(--ink); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 6px 0; } dt { color: var(--soft); }
dd { margin: 0; } svg { width: 100%; height: auto; display: block; } svg text { fill: var(--soft); font-size: 11px; }
.grid { stroke: var(--line); } .band { fill: var(--band); fill-opacity: .16; }
.limit { stroke: var(--bad); stroke-dasharray: 5 4; }
.s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); } .s2 { stroke: var(--s2); } .s3 { stroke: var(--s3); }
.s4 { stroke: var(--s4); } .s5 { stroke: var(--s5); }
.line { fill: none; stroke-width: 2; } .in { stroke-dasharray: 3 3; }
.key { display: inline-flex; align-items: center; gap: 6px; margin-right: 16px; font-size: 12px; }
.key svg { width: 24px; height: 8px; }
ul { margin: 6px 0; padding-left: 20px; } a { color: inherit; }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --ground: #fff; --raised: #f3f3f3;
  --good: #1c7c3c; --bad: #b3261e; --open: #6b5b00; --band: #3f6fd8; --s0: #2f62d0; --s1: #b5541a; --s2: #1f8a5b;
  --s3: #8a3fb0; --s4: #9a7a00; --s5: #c0306a; }
  body { padding: 0; max-width: none; font-size: 10.5pt; } .rows { font-size: 8pt; } .wide { overflow: visible; }
  h2, h3 { break-after: avoid; } tr, .judged, figure { break-inside: avoid; } thead { display: table-header-group; }
  .judged, .band { print-color-adjust: exact; } }
figure { margin: 8px 0; }
""".strip()
