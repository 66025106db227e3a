import type { JsonObject, JsonPath, JsonValue } from "./json.ts";
import { nameValues } from "./json-schema.ts";
import { failOption } from "./option-tables.ts";
import type { Question, QuestionOption } from "./plan.ts";
import { isInCalendar, timeOfInstant } from "./step.ts";

/** A question whose answer a suspended run waits for. Can be passed unchanged to `answer`. @group Runs and results */
export interface QuestionItem extends Question {
  readonly kind: "question";
  readonly stepId: string;
  /** Unique among the questions of all runs. */
  readonly id: string;
  /** True if the answer may be text other than an option. */
  readonly allowText: boolean;
  /** ISO 8601, UTC; absent if the question does not expire. */
  readonly expiresAt?: string;
}

export function responseOf(answer: JsonObject): JsonObject {
  return { type: "object", properties: { answer }, required: ["answer"] };
}

export function yesOrNo(message: string): Question {
  return { message, display: "confirm", responseSchema: responseOf({ type: "boolean" }) };
}

export function chooseFrom(message: string, options: readonly QuestionOption[], several: boolean): Question {
  const one = { type: "string", enum: options.map(({ id }) => id) };
  const answer: JsonObject = several ? { type: "array", items: one, minItems: 1 } : one;
  return { message, display: several ? "multi-select" : "select", options, responseSchema: responseOf(answer) };
}

export function questionOf({ input, wait }: { input: JsonObject; wait?: object | undefined }): Question | undefined {
  return wait === undefined ? undefined : (input as { readonly ask?: Question }).ask;
}

export function questionId(runId: string, stepId: string): string {
  return `${runId}/${stepId}`;
}

export function toQuestionItem(
  { runId, stepId }: { readonly runId: string; readonly stepId: string },
  question: Question,
  expiresAt: string | undefined,
): QuestionItem {
  const { type, enum: values } = answerSchemaOf(question);
  const allowText = values === undefined && type !== "boolean" && type !== "array";
  const id = questionId(runId, stepId);
  return { kind: "question", stepId, id, ...question, allowText, ...(expiresAt !== undefined && { expiresAt }) };
}

export interface AnswerSchema {
  readonly type: "string" | "number" | "integer" | "boolean" | "array";
  readonly enum?: readonly string[];
  readonly format?: keyof typeof formats;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: AnswerSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export function answerSchemaOf({ responseSchema }: Question): AnswerSchema {
  return (responseSchema as { readonly properties: { readonly answer: unknown } }).properties.answer as AnswerSchema;
}

const typesOfDisplay: Readonly<Record<Question["display"], readonly string[]>> = {
  confirm: ["boolean"],
  select: ["string"],
  "multi-select": ["array"],
  text: ["string", "number", "integer"],
};

export function findQuestionIssues(question: Question): { readonly path: JsonPath; readonly message: string }[] {
  const { display, options = [] } = question;
  const schema = answerSchemaOf(question);
  const types = typesOfDisplay[display];
  if (!types.includes(schema.type)) {
    const message = `A question with display "${display}" needs an answer of type ${types.join(" or ")}, not ${schema.type}.`;
    return [{ path: ["responseSchema", "properties", "answer", "type"], message }];
  }
  if (options.length === 0 && display.endsWith("select"))
    return [{ path: ["options"], message: `A question with display "${display}" needs options.` }];
  const ids = new Set<string>();
  const one = schema.items ?? schema;
  return options.flatMap(({ id }, index) => {
    const isTwice = ids.has(id);
    ids.add(id);
    if (!isTwice && isAnswer(one, id)) return [];
    const message = isTwice
      ? `"${id}" is already the id of an option.`
      : `"${id}" does not fit the responseSchema, which needs ${describeAnswer(one)}.`;
    return [{ path: ["options", index, "id"], message }];
  });
}

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && isInCalendar(text);
const isDateTime = (text: string) => timeOfInstant(text) !== undefined;

const formats = {
  date: { isValid: isDate, expected: 'a date such as "2026-03-01"' },
  "date-time": { isValid: isDateTime, expected: 'a date and time with its zone, such as "2026-03-01T08:00:00Z"' },
  "date-or-date-time": {
    isValid: (text: string) => isDate(text) || isDateTime(text),
    expected: 'a date such as "2026-03-01", or a date and time with its zone, such as "2026-03-01T08:00:00Z"',
  },
  time: {
    isValid: (text: string) => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(text),
    expected: 'a time such as "18:30"',
  },
};

export const maxAnswerLength = 10_000;

export function isAnswer(schema: AnswerSchema, value: JsonValue): boolean {
  const { type, format, minLength, maxLength = maxAnswerLength } = schema;
  switch (type) {
    case "boolean":
      return typeof value === "boolean";
    case "string": {
      const isText = typeof value === "string" && isWithin(value.length, minLength, maxLength);
      return isText && schema.enum?.includes(value) !== false && (!format || formats[format].isValid(value));
    }
    case "number":
    case "integer": {
      const isNumber = typeof value === "number" && isWithin(value, schema.minimum, schema.maximum);
      return isNumber && (type === "number" || Number.isInteger(value));
    }
    case "array": {
      const isSet = Array.isArray(value) && new Set(value).size === value.length;
      return isSet && isWithin(value.length, schema.minItems, schema.maxItems) && !value.some(isWrongIn(schema));
    }
  }
}

function isWrongIn({ items }: AnswerSchema): (item: JsonValue) => boolean {
  return (item) => items !== undefined && !isAnswer(items, item);
}

function isWithin(value: number, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean {
  return value >= min && value <= max;
}

function describeAnswer(schema: AnswerSchema): string {
  const { type, format, minLength: min, maxLength: max = maxAnswerLength } = schema;
  if (schema.enum !== undefined) return nameValues(schema.enum);
  switch (type) {
    case "boolean":
      return "true or false";
    case "string":
      return format ? formats[format].expected : `text${describeBounds(min, max, "of")} characters`;
    case "number":
    case "integer":
      return `a ${type === "integer" ? "whole " : ""}number${describeBounds(schema.minimum, schema.maximum)}`;
    case "array": {
      const count = describeBounds(schema.minItems, schema.maxItems, "of") || " of";
      const values = `${count.endsWith(" 1") ? "value" : "values"}, none repeated`;
      return `a list${count} ${values}, each ${describeAnswer(schema.items ?? schema)}`;
    }
  }
}

function describeBounds(min: number | undefined, max: number | undefined, lead: "from" | "of" = "from"): string {
  if (min === undefined) return max === undefined ? "" : ` of at most ${max}`;
  return max === undefined ? ` of at least ${min}` : ` ${lead} ${min} to ${max}`;
}

export function checkAnswer(question: Question, answer: JsonValue): void {
  const schema = answerSchemaOf(question);
  if (isAnswer(schema, answer)) return;
  const at = Array.isArray(answer) ? answer.findIndex(isWrongIn(schema)) : -1;
  if (Array.isArray(answer) && schema.items !== undefined && at >= 0)
    failOption(`answer[${at}]`, answer[at], describeAnswer(schema.items), true);
  failOption("answer", answer, describeAnswer(schema), true);
}

export function failAnswer(question: Question, text: string): never {
  failOption("answer", text, describeAnswer(answerSchemaOf(question)), true);
}
