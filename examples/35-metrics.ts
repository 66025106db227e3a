import { createServer } from "node:http";
import { createAgent, createCalculator, createTodoStore } from "planwright";
import { createMetrics } from "planwright/metrics";

const metrics = createMetrics();
const agent = createAgent({ tools: [createCalculator(), createTodoStore()], observers: [metrics] });
await agent.run("Calculate 100 / 4 and add the result as a todo");

// As data, for a page or a test of your own.
const runs = metrics.snapshot().find(({ name }) => name === "planwright.runs");
console.log(runs?.type, runs?.points);

// As the page that Prometheus reads; an app has a route for it.
const server = createServer((_, response) => {
  response.setHeader("content-type", "text/plain; version=0.0.4").end(metrics.toPrometheus());
});
await new Promise<void>((resolve) => server.listen(9465, "127.0.0.1", resolve));
const page = await (await fetch("http://127.0.0.1:9465/metrics")).text();
for (const line of page.split("\n")) if (/^planwright_(runs|steps)_total/.test(line)) console.log(line);
server.close();
