import type { AgentEvent } from "planwright";

/** Texts that would do something in a page, if it let them: each sets `hacked`, or loads or changes something. */
export const attacks: readonly string[] = [
  "<script>globalThis.hacked = true</script>",
  "</script><script>globalThis.hacked = true</script>",
  '"><img src=x onerror="globalThis.hacked = true">',
  "'><svg onload=globalThis.hacked=true>",
  "</title></style></pre></details></summary><iframe srcdoc='<script>parent.hacked = true</script>'></iframe>",
  '<a href="javascript:globalThis.hacked = true" autofocus onfocus="globalThis.hacked = true">here</a>',
  "<details open ontoggle=globalThis.hacked=true>",
  "</style><style>*{display:none!important}@import 'https://example.test/x.css';</style>",
  "}*{display:none!important}/*",
  "--><meta http-equiv=refresh content='0;url=data:text/html,gone'><base href='https://example.test/'>",
  "<form action='https://example.test/'><button autofocus formaction='javascript:globalThis.hacked = true'>",
  "<link rel=stylesheet href='https://example.test/x.css'><object data='https://example.test/x'></object>",
  "&lt;script&gt;globalThis.hacked = true&lt;/script&gt;&#60;img src=x onerror=globalThis.hacked=true&#62;",
  "]]><![CDATA[<script>globalThis.hacked = true</script>",
  "{{constructor.constructor('globalThis.hacked = true')()}}${globalThis.hacked = true}",
  "\u202ereversed\u2066 \u0000\u0008\ud800",
];

/** What events are read by; all other texts are free. */
const fixed: ReadonlySet<string> = new Set(["type", "timestamp", "createdAt", "status", "kind", "effect", "reason"]);

/** The same run with an attack at the end of each text in it, and as a key of each input and output. */
export function attacked(events: readonly AgentEvent[], attack: string): readonly AgentEvent[] {
  const change = (value: unknown, key?: string): unknown => {
    if (typeof value === "string") return key !== undefined && fixed.has(key) ? value : `${value}${attack}`;
    if (Array.isArray(value)) return value.map((item) => change(item));
    if (value === null || typeof value !== "object") return value;
    const changed = Object.entries(value).map(([name, item]) => [name, change(item, name)] as const);
    const isFree = key === "input" || key === "output";
    return Object.fromEntries(isFree ? [...changed, [attack, attack]] : changed);
  };
  return events.map((event) => change(event) as AgentEvent);
}
