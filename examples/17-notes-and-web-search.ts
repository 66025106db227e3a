import { createAgent, createMemoryNotes, createNotes, createWebSearch } from "planwright";

let ids = 0;
const notes = createNotes<{ user: string }>({
  storage: createMemoryNotes(),
  author: ({ resources }) => resources.user,
  // Only to print the same each time.
  createId: () => `n${++ids}`,
  now: () => Date.UTC(2026, 10, 22, 10),
});
const web = createWebSearch({
  // Ask any search engine here, with `fetch(…, { signal })`.
  search: (query, { limit }) => [
    { title: `Up to ${limit} pages about ${query}`, url: "https://zod.dev", snippet: "Schemas for TypeScript" },
    { title: "Nobody should follow this", url: "javascript:alert(1)" },
  ],
});
const agent = createAgent({ tools: [notes, web] });

const request = "Add note to PROP-2025-001: Legal review completed";
await agent.run(request, { resources: { user: "Ada" } });
for (const next of ["List notes for PROP-2025-001", "Search the web for zod 4"]) {
  const { output } = await agent.run(next, { resources: { user: "Bob" } });
  console.log(output);
}
