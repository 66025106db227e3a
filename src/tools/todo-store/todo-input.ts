import * as z from "zod/v4";
import type { TodoPriority } from "./todo.ts";
import { cleanListName, type DueFields, isDueDate, isTimeOnly } from "./todo-keys.ts";

/** Names one todo by exactly one of `id`, `title` and `index`. @inline */
export interface TodoTarget {
  readonly id?: string;
  /** Comparison ignores case, extra spaces and punctuation. If several todos match, the error lists them. */
  readonly title?: string;
  /** Position in the default order of the operation `list`: 1 is the first, -1 the last. */
  readonly index?: number;
  /** Searches only this list. @default all lists */
  readonly list?: string;
}

/** Conditions that listed todos must meet, their order, and the page. @inline */
export interface TodoFilter {
  /** @default all lists */
  readonly list?: string;
  /** @default "all" */
  readonly status?: "all" | "pending" | "completed";
  /** ISO 8601. A date means before that day, a date and time before that moment. */
  readonly dueBefore?: string;
  /** ISO 8601. A date means after that day, a date and time after that moment. */
  readonly dueAfter?: string;
  /** An ISO 8601 date. */
  readonly dueOn?: string;
  readonly tag?: string;
  readonly priority?: TodoPriority;
  /** Sorts oldest first, soonest due first, most important first, or alphabetically. @default "created" */
  readonly sort?: "created" | "due" | "priority" | "title";
  /** Reverses the order, but todos without a due date or priority stay last. @default false */
  readonly reverse?: boolean;
  /** Number of todos to skip. @default 0 */
  readonly offset?: number;
  /** Maximum number of todos to return, 1 to 1 000. @default 100 */
  readonly limit?: number;
}

/** Input of the TodoStore, as JSON. @group Built-in tools */
export type TodoStoreInput =
  | {
      readonly operation: "add";
      /** 1 to 1 000 UTF-16 code units once trimmed. Any text is allowed. */
      readonly title: string;
      /** @default "todos" */
      readonly list?: string;
      /** An ISO 8601 date. */
      readonly dueDate?: string;
      /** An ISO 8601 date and time with an offset, in place of `dueDate`. */
      readonly dueAt?: string;
      readonly priority?: TodoPriority;
      readonly tags?: readonly string[];
    }
  | ({ readonly operation: "list" } & TodoFilter)
  | ({ readonly operation: "get" | "complete" | "reopen" | "delete" } & TodoTarget)
  | ({
      readonly operation: "update";
      readonly newTitle?: string;
      /** Moves the todo to this list. */
      readonly newList?: string;
      /** A date keeps the time and offset of the todo, if any. `null` removes date and time. */
      readonly dueDate?: string | null;
      /** Replaces date and time; a time alone (`T18:00+01:00`) keeps the day; `null` removes both. */
      readonly dueAt?: string | null;
      /** `null` removes the priority. */
      readonly priority?: TodoPriority | null;
      /** Replaces all tags. Cannot be combined with `addTags` or `removeTags`. */
      readonly tags?: readonly string[];
      readonly addTags?: readonly string[];
      readonly removeTags?: readonly string[];
    } & TodoTarget)
  | {
      readonly operation: "clear";
      /** Optional if all todos are in one list; not allowed with `allLists`. */
      readonly list?: string;
      /** Clears every list. @default false */
      readonly allLists?: boolean;
      /** @default false */
      readonly onlyCompleted?: boolean;
    }
  | {
      readonly operation: "search";
      /** Each word must occur in the title, regardless of case. */
      readonly query: string;
      readonly list?: string;
      readonly offset?: number;
      readonly limit?: number;
    };

const oneTarget = "give exactly one of id, title and index (a new title goes into newTitle)";
const namesOneTarget = ({ id, title, index }: TodoTarget) =>
  [id, title, index].filter((part) => part !== undefined).length === 1;

const oneDue = "give dueDate or dueAt, not both";
const namesOneDue = ({ dueDate, dueAt }: DueFields) => dueDate === undefined || dueAt === undefined;

const dayText = "date (2026-11-22)";
const timeText = "date and time with offset (2026-11-22T18:00:00+01:00)";
const dayOrTimeText = `${dayText}, or ${timeText}`;

/** @internal */
export function createTodoInputSchema() {
  const title = z.string().trim().min(1).max(1_000);
  const list = z.string().trim().min(1).max(100, { abort: true }).overwrite(cleanListName).describe("Name of a list");
  const priority = z.enum(["low", "medium", "high"]);
  const tag = z.string().trim().toLowerCase().min(1).max(50);
  const tags = z
    .array(tag)
    .max(20)
    .overwrite((all) => [...new Set(all)]);
  const someTags = z.array(z.string()).pipe(tags.min(1));
  const position = z.number().int();
  const offset = position.min(0).max(10_000_000).default(0).describe("How many to skip");
  const limit = position.min(1).max(1_000).default(100).describe("How many to return");
  const due = (description: string, expected = dayOrTimeText, isValid = isDueDate) =>
    z.string().refine(isValid, `must be an ISO 8601 ${expected} that exists`).meta({ description });
  const isDay = (text: string) => text.length === 10 && isDueDate(text);
  const isDayAndTime = (text: string) => text.length > 10 && isDueDate(text);
  const dueBound = due("As dueDate or dueAt").optional();
  // A time is accepted here, too, and becomes dueAt.
  const dueDate = due("A date (2026-11-22)");
  const dueAt = due("Or a time with offset (2026-11-22T18:00+01:00)", timeText, isDayAndTime);
  const newDueDate = due("A date (2026-11-22), keeps the time; null for never");
  const newDueAt = due(
    "Or a time with offset (2026-11-22T18:00+01:00; T18:00+01:00 keeps the day); null for never",
    timeText,
    (text) => isTimeOnly(text) || isDayAndTime(text),
  );
  const target = {
    id: z.string().min(1).max(200).optional(),
    title: title.optional().describe("Give one of id, title, index"),
    index: position
      .min(-10_000_000)
      .max(10_000_000)
      .refine((index) => index !== 0, "positions count from 1; -1 is the last")
      .optional()
      .describe("Position: 1 is the first, -1 the last"),
    list: list.optional(),
  };
  const ofTarget = <TOperation extends string>(operation: TOperation) =>
    z.strictObject({ operation: z.literal(operation), ...target }).refine(namesOneTarget, oneTarget);
  return z.discriminatedUnion("operation", [
    z
      .strictObject({
        operation: z.literal("add"),
        title,
        list: list.optional(),
        dueDate: dueDate.optional(),
        dueAt: dueAt.optional(),
        priority: priority.optional(),
        tags: tags.optional(),
      })
      .refine(namesOneDue, oneDue),
    z.strictObject({
      operation: z.literal("list"),
      list: list.optional().describe("Default: all lists"),
      status: z.enum(["all", "pending", "completed"]).default("all"),
      dueBefore: dueBound,
      dueAfter: dueBound,
      dueOn: due("A date", dayText, isDay).optional(),
      tag: tag.optional(),
      priority: priority.optional(),
      sort: z.enum(["created", "due", "priority", "title"]).default("created"),
      reverse: z.boolean().default(false),
      offset,
      limit,
    }),
    ofTarget("get"),
    ofTarget("complete"),
    ofTarget("reopen"),
    z
      .strictObject({
        operation: z.literal("update"),
        ...target,
        newTitle: title.optional(),
        newList: list.optional().describe("List to move it to"),
        dueDate: newDueDate.nullable().optional(),
        dueAt: newDueAt.nullable().optional(),
        priority: priority.nullable().optional(),
        tags: tags.optional(),
        addTags: someTags.optional(),
        removeTags: someTags.optional(),
      })
      .refine(namesOneTarget, oneTarget)
      .refine(
        ({ operation, id, title, index, list, ...fields }) => Object.values(fields).some((part) => part !== undefined),
        "give at least one of newTitle, newList, dueDate, dueAt, priority, tags, addTags and removeTags",
      )
      .refine(namesOneDue, oneDue)
      .refine(
        (input) => input.tags === undefined || (input.addTags === undefined && input.removeTags === undefined),
        "give tags, which replaces all, or addTags and removeTags, which change some, not both",
      )
      .refine(
        ({ addTags = [], removeTags = [] }) => !addTags.some((each) => removeTags.includes(each)),
        "give a tag in addTags or in removeTags, not in both",
      ),
    ofTarget("delete"),
    z
      .strictObject(
        {
          operation: z.literal("clear"),
          list: list.optional(),
          allLists: z.boolean().default(false).describe("Clear every list there is"),
          onlyCompleted: z.boolean().default(false),
        },
        { error: describeClearKeys },
      )
      .refine((input) => !(input.allLists && input.list !== undefined), "give list or allLists, not both"),
    z.strictObject({
      operation: z.literal("search"),
      query: z.string().trim().min(1).max(1_000).describe("Words of the title"),
      list: list.optional(),
      offset,
      limit,
    }),
  ]);
}

function describeClearKeys({ code, keys }: { readonly code?: string; readonly keys?: readonly string[] }) {
  return code === "unrecognized_keys"
    ? `clear takes no ${keys?.join(", ")}: it clears a whole list, or its completed todos with onlyCompleted; to remove some, list them with the filter and delete each by its id`
    : undefined;
}

/** @internal */
export type ParsedTodoInput = z.output<ReturnType<typeof createTodoInputSchema>>;

type Operation = ParsedTodoInput["operation"];

/** @internal */
export type ParsedTodoInputOf<TOperation extends Operation> = Extract<ParsedTodoInput, { operation: TOperation }>;

export type TodoReadOperation = "list" | "get" | "search";

/** An operation that may change something. @inline */
export type TodoWriteOperation = Exclude<TodoStoreInput["operation"], TodoReadOperation>;

/** @internal */
export function isTodoRead(input: ParsedTodoInput): input is ParsedTodoInputOf<TodoReadOperation> {
  return input.operation === "list" || input.operation === "get" || input.operation === "search";
}

const saidAs: Readonly<Record<string, string>> = { list: "show", get: "show", update: "change" };

export function describeTodoCall({ operation, ...fields }: TodoStoreInput): string {
  const { title, ...others } = fields as Readonly<Record<string, unknown>>;
  const noun = /^(?:list|search|clear)$/.test(operation) ? "todos" : "todo";
  const named = title === undefined ? "" : ` "${title}"`;
  const parts = Object.entries(others).map(([name, value]) => {
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    return `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}: ${shown}`;
  });
  return [`${saidAs[operation] ?? operation} the ${noun}${named}`, ...parts].join(", ");
}
