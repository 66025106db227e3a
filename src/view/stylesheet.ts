/** The one stylesheet of all pages. Its hash stands in their policy, so that no other applies. */
export const stylesheet = `
:root{color-scheme:light dark;--bg:#fdfdfb;--panel:#fff;--ink:#1d1d1b;--soft:#5d5d57;--line:#e2e2dc;--good:#2f7d46;--bad:#b3261e;--wait:#8f5f00;--busy:#2b62a8;--calm:#62625b;--good-bg:#e6f3e9;--bad-bg:#fbe7e5;--wait-bg:#fbf0d9;--busy-bg:#e5eefa;--calm-bg:#eeeee9;--pause:#ecece6}
@media (prefers-color-scheme:dark){:root{--bg:#161715;--panel:#1d1e1c;--ink:#ecece6;--soft:#a9a99f;--line:#34352f;--good:#79c98f;--bad:#f2938b;--wait:#e0b25a;--busy:#8db8ee;--calm:#a9a99f;--good-bg:#1c3323;--bad-bg:#40201d;--wait-bg:#3a2e12;--busy-bg:#1b2c43;--calm-bg:#2a2b27;--pause:#26271f}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1500px;margin:0 auto;padding:24px 16px 64px}
h1{font-size:22px;line-height:1.3;margin:0 0 8px;font-weight:650;overflow-wrap:anywhere}
h2{font-size:15px;margin:32px 0 8px;font-weight:650}
h3{font-size:14px;margin:0}
p{margin:4px 0}
a{color:var(--busy)}
code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,monospace}
code{overflow-wrap:anywhere}
.facts,.tool,.time,.axis,.why{color:var(--soft)}
.pill{display:inline-block;padding:1px 8px;border-radius:10px;font-size:13px;white-space:nowrap}
.good{--tone:var(--good);--tone-bg:var(--good-bg)}.bad{--tone:var(--bad);--tone-bg:var(--bad-bg)}.wait{--tone:var(--wait);--tone-bg:var(--wait-bg)}.busy{--tone:var(--busy);--tone-bg:var(--busy-bg)}.calm{--tone:var(--calm);--tone-bg:var(--calm-bg)}
.pill{color:var(--tone);background:var(--tone-bg)}
.numbers{display:flex;flex-wrap:wrap;gap:8px 28px;margin:16px 0 0;padding:0}
.numbers div{min-width:70px}
.numbers dt{color:var(--soft);font-size:13px}
.numbers dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.steps{border:1px solid var(--line);border-radius:8px;background:var(--panel);overflow:hidden}
.step+.step{border-top:1px solid var(--line)}
summary{display:grid;grid-template-columns:minmax(120px,18%) minmax(150px,14%) 1fr;gap:4px 12px;align-items:center;padding:6px 12px;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary:hover{background:var(--calm-bg)}
summary:focus-visible,pre:focus-visible,.graph:focus-visible{outline:2px solid var(--busy);outline-offset:-2px}
.what{overflow-wrap:anywhere}
.how{display:flex;gap:8px;align-items:baseline;flex-wrap:wrap}
.time{font-size:13px;font-variant-numeric:tabular-nums}
.bars{width:100%;height:16px;display:block}
.bars .attempt{fill:var(--good)}.bars .undo{fill:var(--calm)}.bars .planning{fill:var(--busy)}.bars .failed{fill:var(--bad)}.bars .waiting{fill:var(--line);stroke:var(--calm);stroke-width:1}.bars .backoff{fill:url(#hatch)}.bars .pause{fill:var(--pause)}
.hatch{fill:var(--wait)}
.defs{position:absolute}
.axis{display:grid;grid-template-columns:minmax(120px,18%) minmax(150px,14%) 1fr;gap:4px 12px;padding:6px 12px;font-size:13px}
.axis div{grid-column:3;display:flex;justify-content:space-between}
.inside{padding:2px 12px 12px 24px}
.inside .step{border:1px solid var(--line);border-radius:6px;margin:6px 0}
.value{margin:8px 0 0}
.value>span{display:block;font-size:13px;color:var(--soft)}
pre{margin:2px 0 0;padding:8px 10px;background:var(--bg);border:1px solid var(--line);border-radius:6px;overflow:auto;max-height:320px;white-space:pre-wrap;overflow-wrap:anywhere}
.error pre{border-color:var(--bad)}
.notice{border-left:4px solid var(--tone);background:var(--tone-bg);padding:8px 12px;border-radius:4px;margin:16px 0 0;overflow-wrap:anywhere}
.graph{overflow:auto;max-height:70vh;border:1px solid var(--line);border-radius:8px;background:var(--panel);padding:12px}
.graph svg{display:block;margin:0 auto}
.graph text{font:12px system-ui,sans-serif;fill:var(--soft)}
.graph .name{font-weight:650;font-size:13px;fill:var(--ink)}
.node rect{fill:var(--bg);stroke:var(--line)}
.node .mark{fill:var(--tone);stroke:none}
.edges path{fill:none;stroke:var(--calm);stroke-width:1.2}
.columns{display:flex;flex-wrap:wrap;gap:24px}
.columns>div{min-width:200px;flex:1}
.columns ol{padding-left:24px;margin:4px 0}
ins{color:var(--good)}del{color:var(--bad)}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:5px 12px 5px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{font-size:13px;font-weight:500;color:var(--soft);white-space:nowrap}
.wide{overflow-x:auto}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:13px;color:var(--soft);margin:8px 0 0}
.legend svg{display:inline-block;width:22px;height:12px;margin-right:5px;vertical-align:-1px}
footer{margin-top:40px;font-size:13px;color:var(--soft)}
@media (max-width:720px){main{padding:16px 10px 48px}summary,.axis{grid-template-columns:1fr auto}.bars{grid-column:1/-1}.axis div{grid-column:1/-1}.inside{padding-left:12px}}
`;

/** The SHA-256 of the stylesheet, in Base64; a test computes it. */
export const stylesheetHash = "UPtcL65G4wkaYE4B7ruJx/mVKCNeJwZQ0SG8xrnlsrQ=";
