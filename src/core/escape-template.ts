/**
 * Makes text safe to stand in a plan's input: what was typed is never read as a reference, also where other text is put
 * behind it. `use ${HOME}` becomes `use ${$}{HOME}`, which is `use ${HOME}` again when the plan runs.
 */
export function escapeTemplate(text: string): string {
  return text.includes("$") ? text.replace(/\$(?=\{|$)/g, () => "${$}") : text;
}
