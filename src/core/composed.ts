import { markSchema } from "./mark-schema.ts";
import type { StandardSchema } from "./schema.ts";

/**
 * Marks a text field of a tool's input as one that a model composes: the body of a message, a subject, a summary, a
 * search query. Words in it that the request does not say are only a warning, and do not refuse the plan. Never mark a
 * recipient, an id, an amount, a date or a path; of any but plain text the mark means nothing. Returns a copy of the
 * schema, like `.meta({ composed: true })` of zod 4, but also for zod 3. Throws `invalid-options`.
 *
 * ```ts
 * const inputSchema = z.object({ to: z.email(), body: composed(z.string()) });
 * ```
 * @group Tools
 */
export function composed<TSchema extends StandardSchema>(schema: TSchema): TSchema {
  return markSchema(schema, "composed");
}
