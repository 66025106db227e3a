import { type OptionTable, readOptions } from "../core/option-tables.ts";
import { html, type Page } from "./html.ts";
import { renderIndexPage } from "./index-page.ts";
import { renderRunPage } from "./run-page.ts";
import { type DrawnRun, type DrawOptions, drawnRun, drawOrRefuse, toRunView } from "./run-view.ts";

/**
 * Draws a run as an HTML document, or several runs as one document that lists failures, pending items, slow steps and
 * costs. The document loads and runs nothing, whatever a run contains. Events show more than a result does, such as
 * attempts and model calls. Sensitive values are hidden, and long values are cut. Throws `invalid-options` for anything
 * that is not a run.
 * {@includeCode ../../examples/29-pictures.ts}
 */
export function toHtml(run: DrawnRun | readonly DrawnRun[], options: DrawOptions = {}): string {
  const { describeCall } = readOptions(drawOptions, options);
  const view = (one: DrawnRun) => toRunView(one, { describeCall });
  const draw = () => toDocument(isOne(run) ? renderRunPage(view(run)) : renderIndexPage(run.map(view)));
  return drawOrRefuse(run, { expected: drawnRun, draw });
}

const drawOptions = { describeCall: { type: "function" } } satisfies OptionTable<DrawOptions>;

function isOne(run: DrawnRun | readonly DrawnRun[]): run is DrawnRun {
  if (!Array.isArray(run)) return true;
  const [first] = run as readonly object[];
  return first !== undefined && "type" in first;
}

function toDocument({ title, content }: Page): string {
  const policy = `default-src 'none'; style-src 'sha256-${stylesheetHash}'; base-uri 'none'; form-action 'none'`;
  const { text } =
    html`<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title>`;
  return `<!doctype html>\n${text}<style>${stylesheet}</style></head><body><main>${content.text}</main></body></html>\n`;
}

/** The hash of this text is in the policy of each page, so that no other stylesheet applies. */
export const stylesheet = `
:root{color-scheme:light dark;--bg:#fbfbf9;--panel:#fff;--ink:#1d1d1b;--soft:#5d5d57;--line:#e4e4de;--good:#2a7542;--bad:#b3261e;--wait:#835700;--busy:#2b62a8;--calm:#5f5f58;--good-bg:#e6f3e9;--bad-bg:#fbe9e7;--wait-bg:#fbf1dc;--busy-bg:#e5eefa;--calm-bg:#efefea;--pause:#f0f0ea;--tick:#efefea;--bar:#4c9a69;--bar-bad:#cc4a41;--bar-busy:#4c83c4;--bar-calm:#85857c;--bar-wait:#dcdcd4;--hatch:#c08a2c}
@media (prefers-color-scheme:dark){:root{--bg:#151614;--panel:#1b1c1a;--ink:#ecece6;--soft:#a9a99f;--line:#30312c;--good:#84cf99;--bad:#f49a92;--wait:#e3b862;--busy:#92bbef;--calm:#b0b0a6;--good-bg:#1b3222;--bad-bg:#3e1f1c;--wait-bg:#382d13;--busy-bg:#1a2a41;--calm-bg:#2a2b27;--pause:#252622;--tick:#262723;--bar:#5fae7c;--bar-bad:#e0685e;--bar-busy:#6b9fdd;--bar-calm:#8a8a81;--bar-wait:#45463f;--hatch:#c79a45}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.5 system-ui,sans-serif;-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
main{max-width:1440px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:24px;line-height:1.25;letter-spacing:-.01em;margin:0 0 10px;font-weight:650}
h2{font-size:16px;margin:40px 0 12px;font-weight:650}
h3{font-size:14px;margin:0}
p{margin:4px 0}
a{color:var(--busy)}
b{font-weight:600}
code,pre{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
.facts,.tool,.time,.why,.attempts{color:var(--soft)}
.hidden{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.good{--tone:var(--good);--tone-bg:var(--good-bg)}.bad{--tone:var(--bad);--tone-bg:var(--bad-bg)}.wait{--tone:var(--wait);--tone-bg:var(--wait-bg)}.busy{--tone:var(--busy);--tone-bg:var(--busy-bg)}.calm{--tone:var(--calm);--tone-bg:var(--calm-bg)}
.pill{display:inline-block;padding:0 8px;border-radius:10px;font-size:12.5px;line-height:20px;font-weight:500;white-space:nowrap;color:var(--tone);background:var(--tone-bg)}
header .pill{margin-right:6px}
.numbers{display:flex;flex-wrap:wrap;gap:12px 36px;margin:20px 0 0;padding:0}
.numbers dt{color:var(--soft);font-size:12.5px}
.numbers dd{margin:0;font-variant-numeric:tabular-nums}
.numbers .count{font-size:22px;line-height:1.3;font-weight:600;color:var(--tone,var(--ink))}
.notice{border-left:3px solid var(--tone);background:var(--tone-bg);padding:10px 14px;border-radius:4px;margin:20px 0 0}
.notice+.notice{margin-top:8px}
.heading{display:flex;flex-wrap:wrap;gap:4px 24px;align-items:baseline;justify-content:space-between;margin:40px 0 8px}
.heading h2{margin:0}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:12.5px;color:var(--soft)}
.legend svg{display:inline-block;width:20px;height:12px;min-height:0;margin-right:6px;vertical-align:-1px}
.steps{border:1px solid var(--line);border-radius:10px;background:var(--panel);overflow:hidden}
.step+.step{border-top:1px solid var(--line)}
summary,.axis{display:grid;grid-template-columns:minmax(150px,20%) minmax(150px,13%) 1fr;gap:0 12px;align-items:center;padding:0 14px}
summary{cursor:pointer;list-style:none;min-height:34px}
summary::-webkit-details-marker{display:none}
summary:hover{background:var(--calm-bg)}
summary:focus-visible,pre:focus-visible,.graph:focus-visible,.wide:focus-visible{outline:2px solid var(--busy);outline-offset:-2px}
.what{position:relative;padding:6px 0 6px 16px}
.what::before{content:"";position:absolute;left:1px;top:13px;width:5px;height:5px;border:solid var(--soft);border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}
[open]>summary .what::before{transform:rotate(45deg)}
.how{display:flex;gap:8px;align-items:baseline;flex-wrap:wrap;padding:6px 0}
.time{font-size:12.5px;font-variant-numeric:tabular-nums;white-space:nowrap}
.bars{display:block;width:100%;height:0;min-height:100%;align-self:stretch}
.bars rect{y:50%;height:12px;rx:3px;transform:translateY(-6px)}
.attempt{fill:var(--bar)}.undo{fill:var(--bar-calm)}.planning{fill:var(--bar-busy)}.failed{fill:var(--bar-bad)}.waiting{fill:var(--bar-wait);stroke:var(--bar-calm);stroke-width:1}.backoff{fill:url(#hatch)}
.pause{fill:var(--pause)}.tick{fill:var(--tick)}.hatch{fill:var(--hatch)}
.defs{position:absolute}
.times{grid-column:3;display:block;width:100%;height:20px;overflow:visible;font-size:11.5px;font-variant-numeric:tabular-nums}
.times text{fill:var(--soft);text-anchor:middle}.times .first{text-anchor:start}.times .last{text-anchor:end}.times .wait{fill:var(--wait)}
.inside{padding:2px 14px 16px 30px}
.inside .step{border:1px solid var(--line);border-radius:8px;margin:6px 0}
.attempts{margin:4px 0;padding:0;list-style:none;font-size:12.5px}
.values{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(320px,100%),1fr));gap:0 16px}
.value{margin:8px 0 0;min-width:0}
.value>span{display:block;font-size:12.5px;color:var(--soft)}
pre{margin:3px 0 0;padding:9px 12px;background:var(--bg);border:1px solid var(--line);border-radius:8px;overflow:auto;max-height:320px;white-space:pre-wrap}
.error pre{border-color:var(--bad)}
.graph{overflow:auto;max-height:80vh;border:1px solid var(--line);border-radius:10px;background:var(--bg);padding:14px}
.graph>svg{display:block;margin:0 auto}
.graph text{font-size:12px;fill:var(--soft)}
.graph .name{font-weight:600;font-size:13px;fill:var(--ink)}
.node rect{fill:var(--panel);stroke:var(--line)}
.node .mark{fill:var(--tone);stroke:none}
.node path{fill:none;stroke:var(--tone);stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.edges path{fill:none;stroke:var(--bar-calm);stroke-width:1.2}
.columns{display:flex;flex-wrap:wrap;gap:0 48px}
.columns>*{min-width:min(320px,100%);flex:1}
.columns ol{padding-left:24px;margin:4px 0 16px}
ins,del{text-decoration:none;font-size:12.5px;font-weight:500}ins{color:var(--good)}del{color:var(--bad)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:7px 24px 7px 0;border-bottom:1px solid var(--line);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
th{font-size:12.5px;font-weight:500;color:var(--soft);white-space:nowrap}
td{font-variant-numeric:tabular-nums;min-width:70px}
td:first-child{min-width:140px}
td code{color:var(--soft)}
td .bars{width:160px;min-height:0;height:21px}
.number{text-align:right}.number,.short{white-space:nowrap}
footer{margin-top:48px;font-size:12.5px;color:var(--soft)}
@media (max-width:720px){main{padding:20px 14px 48px}h1{font-size:20px}h2,.heading{margin-top:32px}.numbers{display:grid;grid-template-columns:1fr 1fr;gap:10px 16px}summary,.axis{grid-template-columns:1fr auto;padding:0 12px}.how,.what{padding-bottom:0}summary .bars{grid-column:1/-1;height:24px;min-height:0}.times{grid-column:1/-1}.minor{display:none}.inside{padding:2px 12px 14px}
thead{display:none}tr{display:flex;flex-wrap:wrap;gap:0 16px;padding:8px 0;border-bottom:1px solid var(--line)}td,td:first-child{min-width:0;padding:1px 0;border:0;text-align:left;white-space:normal}td:first-child{flex:0 0 100%}td+td::before{content:attr(data-head) " ";color:var(--soft);font-size:12.5px}td div{display:inline}td:empty,td[data-head=""]{display:none}}
@media (min-width:2400px){main{zoom:1.4}}
@media print{details>*{display:block}.graph,pre{max-height:none}}
`;

export const stylesheetHash = "tHn9hjQOE7N/fMCXc8r4CnfRNEXqhuRwKX0DyTm2nFg=";
