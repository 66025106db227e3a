import * as z from "zod/v4";

/** What ids of steps and names of delivered events look like. */
export const namePattern: RegExp = /^[A-Za-z_][\w-]*$/;

/** The same in words. */
export const namePatternText = "a letter or _, then letters, digits, _ or -";

/** The longest wait: a hundred years, which a date can count. */
export const maxWaitMs: number = 100 * 365 * 86_400_000;

const expressionAsText = (example: string) => `a CEL expression as text, such as "${example}"`;

const headShape = () => ({
  id: z.string().regex(namePattern, `an id is ${namePatternText}`),
  dependsOn: z.array(z.string()).optional(),
  reasoning: z.string().optional(),
  when: z.string(expressionAsText("size(a.tags) > 0")).optional(),
});

const toolStepSchema = () =>
  z.strictObject({
    ...headShape(),
    tool: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
    forEach: z.string(expressionAsText("a.tags")).optional(),
    concurrency: z.int().min(1).optional(),
  });

const waitKeys = "exactly one of forMs, until and event, the last with an optional timeoutMs";
const milliseconds = () => z.int().min(0).max(maxWaitMs);

const waitStepSchema = () =>
  z.strictObject({
    ...headShape(),
    wait: z.union(
      [
        z.strictObject({ forMs: milliseconds() }),
        z.strictObject({ until: z.union([z.string(), z.strictObject({ $ref: z.string() })]) }),
        z.strictObject({
          event: z.string().regex(namePattern, `the name of an event is ${namePatternText}`),
          timeoutMs: milliseconds().optional(),
        }),
      ],
      { error: `a wait has ${waitKeys}` },
    ),
  });

/** A step with `wait` is checked as one that waits, any other as one that calls a tool, so that issues say what is meant. */
export const stepSchema = () => {
  const [tool, wait] = [toolStepSchema(), waitStepSchema()];
  return z.custom<z.infer<typeof tool> | z.infer<typeof wait>>().superRefine((step, context) => {
    const waits = typeof step === "object" && step !== null && "wait" in step;
    const parsed = (waits ? wait : tool).safeParse(step);
    for (const issue of parsed.error?.issues ?? []) context.addIssue({ ...issue } as never);
  });
};
