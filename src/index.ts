/** @module planwright */

export { createOllamaModel, type OllamaModel } from "./adapters/ollama/ollama-model.ts";
export type { OllamaModelOptions } from "./adapters/ollama/ollama-options.ts";
export type { Clock } from "./async/clock.ts";
export type { EventStream } from "./async/event-channel.ts";
export type { RetryOptions } from "./async/retry.ts";
export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalQuestion,
  ApprovalReason,
  ApprovalRequest,
} from "./core/approval.ts";
export { defineTool, describeTool, type ToolDescription, type ToolOptions } from "./core/define-tool.ts";
export type { ErrorData } from "./core/error-data.ts";
export {
  AgentError,
  type AgentErrorCode,
  type AgentErrorData,
  type AgentErrorDetails,
  type AgentErrorLike,
  isAgentError,
  type Proposal,
} from "./core/errors.ts";
export type {
  AgentEvent,
  AgentEventOf,
  AgentEventType,
  ApprovalEndEvent,
  ApprovalRequestEvent,
  CircuitChangeEvent,
  ModelEndEvent,
  ModelRetryEvent,
  ModelStartEvent,
  NotUndone,
  PendingItem,
  PlanDeltaEvent,
  PlanEndEvent,
  PlanFallbackEvent,
  PlanReviseEvent,
  PlanStartEvent,
  RunBudget,
  RunDeliverEvent,
  RunEndEvent,
  RunResumeEvent,
  RunSettleEvent,
  RunStartEvent,
  RunSuspendEvent,
  SkipReason,
  StepAttemptEvent,
  StepEndEvent,
  StepLateEvent,
  StepOutcome,
  StepProgressEvent,
  StepRetryEvent,
  StepSkipEvent,
  StepStartEvent,
  UndoEndEvent,
  UndoStartEvent,
  WaitStartEvent,
} from "./core/events.ts";
export type { Jsonify, JsonObject, JsonValue } from "./core/json.ts";
export type { JsonSchema } from "./core/json-schema.ts";
export type {
  LanguageModel,
  ModelAttempts,
  ModelFailureReason,
  ModelMessage,
  ModelPrice,
  ModelRequest,
  ModelResponse,
} from "./core/language-model.ts";
export { modelFailure } from "./core/model-failure.ts";
export type { ModelUsage } from "./core/model-usage.ts";
export type { ObservedCall, Observer } from "./core/observer.ts";
export {
  type Plan,
  type PlanInput,
  type PlanIssue,
  type PlanSource,
  type PlanStep,
  planSchema,
  type Question,
  type StepWait,
  type ToolStep,
  type WaitStep,
} from "./core/plan.ts";
export type { PlanDraft, Planner, PlanRequest, ReplanRequest } from "./core/planner.ts";
export type { QuestionItem } from "./core/question.ts";
export type { ApprovalRecord, RunResult, RunSnapshot, StepRecord } from "./core/run-result.ts";
export type { StepStatus } from "./core/run-state.ts";
export type { ListRunsOptions, RunPage, RunStore } from "./core/run-store.ts";
export {
  digestAfter,
  type PendingKind,
  type RunDigest,
  type RunStatus,
  type RunSummary,
  runStatusAfter,
} from "./core/run-summary.ts";
export type { InferSchemaInput, InferSchemaOutput, StandardSchema } from "./core/schema.ts";
export { escapeTemplate } from "./core/text.ts";
export type {
  DefinedTool,
  InferToolInput,
  InferToolOutput,
  InferToolResources,
  PhraseContext,
  SlotValue,
  Tool,
  ToolContext,
  ToolEffect,
  ToolPhraseOptions,
  UndoneCall,
} from "./core/tool.ts";
export { composed, sensitive } from "./core/tool-schemas.ts";
export { type AgentOptions, createAgent, createOrchestrator, type OrchestratorOptions } from "./create-agent.ts";
export { describeCall, describePlan } from "./describe-plan.ts";
export { hashPlan } from "./plan/hash-plan.ts";
export { toPlan } from "./plan/to-plan.ts";
export { validatePlan } from "./plan/validate-plan.ts";
export { createFallbackPlanner } from "./planners/fallback-planner.ts";
export { createLlmPlanner, type LlmPlannerOptions } from "./planners/llm/llm-planner.ts";
export type { PlanExample } from "./planners/llm/prompt.ts";
export { createRoutingPlanner } from "./planners/routing-planner.ts";
export type { RequestExplanation } from "./planners/rules/plan-by-rules.ts";
export { createRulePlanner, explainRequest } from "./planners/rules/rule-planner.ts";
export type { Agent, Orchestrator, RunHandle } from "./runs/agent-interface.ts";
export type {
  ApprovalItem,
  ApprovalOptions,
  DeliverOptions,
  RejectionOptions,
  SettleOptions,
} from "./runs/commands/command-options.ts";
export type { DryRun, DryRunStep } from "./runs/planning/dry-run.ts";
export type { ResumeAllOptions, ResumedRun } from "./runs/resume/resume-all.ts";
export type { AgentWarning, RequestApproval } from "./runs/run/engine-settings.ts";
export type { ForkOptions, PlanOptions, ResumeOptions, RunOptions } from "./runs/run/run-options.ts";
export { toEventStream } from "./runs/stored/to-event-stream.ts";
export { createMemoryRunStore } from "./stores/memory-run-store.ts";
export { createCalculator } from "./tools/calculator/calculator.ts";
export type { Note, NoteStorage, NotesInput, NotesOutput } from "./tools/notes/note.ts";
export { createMemoryNotes } from "./tools/notes/note.ts";
export { createNotes, type NotesOptions } from "./tools/notes/notes.ts";
export type { Todo, TodoStoreOutput } from "./tools/todo-store/todo.ts";
export type { TodoStoreInput } from "./tools/todo-store/todo-input.ts";
export { createMemoryTodos, type TodoStorage } from "./tools/todo-store/todo-storage.ts";
export { createTodoStore, type TodoStoreOptions } from "./tools/todo-store/todo-store.ts";
export {
  createWebSearch,
  type WebSearchInput,
  type WebSearchOptions,
  type WebSearchOutput,
} from "./tools/web-search/web-search.ts";
