/**
 * Makes text safe to put into a plan's input: it is never read as a reference, even when other text is appended to it.
 * `use ${HOME}` becomes `use ${$}{HOME}`, which is `use ${HOME}` again when the plan runs.
 *
 * {@includeCode ../../examples/16-your-own-planner.ts}
 * @group Plans
 */
export function escapeTemplate(text: string): string {
  return text.includes("$") ? text.replace(/\$(?=\{|$)/g, () => "${$}") : text;
}
