/** @module planwright */

export { type Agent, type AgentOptions, createAgent } from "./agent.ts";
export type { Clock } from "./async/clock.ts";
export type { EventStream } from "./async/event-channel.ts";
export type { Unsubscribe } from "./async/event-hub.ts";
export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalQuestion,
  ApprovalRequest,
  ApprovalSubject,
  ChangedCall,
  DecisionNote,
} from "./core/approval.ts";
export type { ApprovalReason, ReplanApproval, WordSource } from "./core/approval-reason.ts";
export { describeTool, type ToolDescription } from "./core/describe-tool.ts";
export type { ErrorData } from "./core/error-data.ts";
export {
  AgentError,
  type AgentErrorCode,
  type AgentErrorData,
  type AgentErrorDetails,
  type AgentErrorLike,
  isAgentError,
  type StoreOperation,
  type StoreProblem,
} from "./core/errors.ts";
export { escapeTemplate } from "./core/escape-template.ts";
export type {
  AgentEvent,
  AgentEventOf,
  AgentEventType,
  ApprovalEndEvent,
  ApprovalRequestEvent,
  CircuitChangeEvent,
  CircuitState,
  NotUndone,
  PendingItem,
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
} from "./core/events.ts";
export { hashPlan } from "./core/hash-plan.ts";
export type { Jsonify, JsonObject, JsonPath, JsonValue } from "./core/json.ts";
export type {
  LanguageModel,
  ModelFailureReason,
  ModelFinishReason,
  ModelMessage,
  ModelPrice,
  ModelRequest,
  ModelResponse,
  ModelResponseFormat,
  ModelTokens,
} from "./core/language-model.ts";
export { modelFailure } from "./core/model-failure.ts";
export type { ModelCall, ModelUsage } from "./core/model-usage.ts";
export type {
  EarlierPhrases,
  PhraseContext,
  PhraseReference,
  SlotValue,
  ToolPhrase,
  ToolPhraseOptions,
} from "./core/phrase.ts";
export {
  type AnyPlan,
  type Plan,
  type PlanFailure,
  type PlanInput,
  type PlanIssue,
  type PlanIssueCode,
  type PlanRepair,
  type PlanSource,
  type PlanStep,
  type PlanStepInput,
  type PlanWarning,
  planSchema,
  type Referable,
  type Reference,
  type UncheckedPlan,
} from "./core/plan.ts";
export type {
  PlanDeltaEvent,
  PlanEndEvent,
  PlanFallbackEvent,
  PlanReviseEvent,
  PlanStartEvent,
} from "./core/plan-events.ts";
export type {
  GenerateFunction,
  PlanDraft,
  Planner,
  PlanningEvent,
  PlanRequest,
  ReplanRequest,
} from "./core/planner.ts";
export type { RetryOptions } from "./core/retry-options.ts";
export type { ApprovalRecord, RunResult, RunSnapshot, StepRecord } from "./core/run-result.ts";
export { type RunStatus, runStatusAfter } from "./core/run-status.ts";
export type { ListRunsOptions, PostedMessage, PostedMessages, RunPage, RunStore } from "./core/run-store.ts";
export {
  digestAfter,
  type PendingItemSummary,
  type PendingSummary,
  type RunDigest,
  type RunSummary,
} from "./core/run-summary.ts";
export type { InferSchemaInput, InferSchemaOutput, JsonSchema, SchemaIssue, StandardSchema } from "./core/schema.ts";
export { sensitive } from "./core/sensitive.ts";
export type { StepStatus } from "./core/step-state.ts";
export type { RunBudget, StoredRunOptions } from "./core/stored-run-options.ts";
export {
  type CheckedToolOptions,
  type DefinedTool,
  defineTool,
  type InferToolInput,
  type InferToolOutput,
  type InferToolResources,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolOptions,
  type UndoneCall,
} from "./core/tool.ts";
export type { ToolCacheContext, ToolCacheOptions } from "./core/tool-cache.ts";
export type { CalculationProblem, TodoMatch, ToolErrorDetails } from "./core/tool-errors.ts";
export type { CircuitBreakerOptions, RateLimitOptions, ToolLimitOptions } from "./core/tool-limits.ts";
export type { ToolFingerprint } from "./core/tool-schemas.ts";
export { type ValidatePlanOptions, validatePlan } from "./core/validate-plan.ts";
export { createOllamaModel } from "./models/ollama/ollama-model.ts";
export type { OllamaModelOptions, OllamaThink } from "./models/ollama/ollama-options.ts";
export type {
  ApprovalItem,
  ApprovalOptions,
  DecisionNoteOptions,
  RejectionOptions,
} from "./orchestrator/decision-options.ts";
export type { DryRun, DryRunStep } from "./orchestrator/dry-run.ts";
export type { EventsOptions } from "./orchestrator/events-options.ts";
export type { RunObserver } from "./orchestrator/observe-runs.ts";
export type { AgentWarning, ApproveFunction, ExecutionOptions, PlanningOptions } from "./orchestrator/options.ts";
export {
  createOrchestrator,
  type Orchestrator,
  type OrchestratorOptions,
  type ResumeArguments,
  type RunApprover,
  type RunHandle,
  type RunResumer,
} from "./orchestrator/orchestrator.ts";
export type { ResumeAllOptions, ResumedRun } from "./orchestrator/resume-all.ts";
export type {
  CloseOptions,
  SettleOptions,
} from "./orchestrator/resume-options.ts";
export type { PruneOptions, RunKeeper } from "./orchestrator/retention.ts";
export type {
  DryRunOptions,
  PlanOptions,
  ResumeOptions,
  RunArguments,
  RunOptions,
} from "./orchestrator/run-options.ts";
export type { RedactFunction, RedactPlace, SecretKey, SecretOptions } from "./orchestrator/secret-options.ts";
export { createFallbackPlanner, type FallbackPlannerOptions } from "./planners/fallback-planner.ts";
export type { GroundingPolicy } from "./planners/llm/check-grounding.ts";
export { createLlmPlanner, type LlmPlannerOptions } from "./planners/llm/llm-planner.ts";
export type { PlanExample } from "./planners/llm/plan-prompt.ts";
export { estimateComplexity, type RequestComplexity } from "./planners/request-complexity.ts";
export { createRoutingPlanner, type PlannerRoute, type RoutingPlannerOptions } from "./planners/routing-planner.ts";
export type { ExplainedPart, ExplainedWords, RequestExplanation } from "./planners/rules/explain-match.ts";
export { createRulePlanner, explainRequest, type RulePlannerOptions } from "./planners/rules/rule-planner.ts";
export { createMemoryRunStore, type MemoryRunStoreOptions } from "./stores/memory-run-store.ts";
export { type CalculatorOptions, type CalculatorResult, createCalculator } from "./tools/calculator/calculator.ts";
export { createMemoryNotes, type MemoryNotesOptions } from "./tools/notes/memory-notes.ts";
export type { Note, NotePage, NotesOutput } from "./tools/notes/note.ts";
export type { NotesInput, NoteTarget } from "./tools/notes/note-input.ts";
export type {
  FoundNotes,
  NoteChange,
  NoteQuery,
  NoteRecord,
  NoteStorage,
  NoteWrite,
} from "./tools/notes/note-storage.ts";
export { createNotes, type NotesOptions } from "./tools/notes/notes.ts";
export { createMemoryTodos, type MemoryTodosOptions } from "./tools/todo-store/memory-todos.ts";
export type { Todo, TodoPage, TodoPriority, TodoStoreOutput, TodosCleared } from "./tools/todo-store/todo.ts";
export type {
  TodoFilter,
  TodoReadOperation,
  TodoStoreInput,
  TodoTarget,
  TodoWriteOperation,
} from "./tools/todo-store/todo-input.ts";
export type {
  FoundTodos,
  TodoChange,
  TodoOutcome,
  TodoPatch,
  TodoQuery,
  TodoRecord,
  TodoStorage,
  TodoWrite,
} from "./tools/todo-store/todo-storage.ts";
export { createTodoStore, type TodoStoreOptions } from "./tools/todo-store/todo-store.ts";
export {
  createWebSearch,
  type WebSearchCall,
  type WebSearchHit,
  type WebSearchInput,
  type WebSearchOptions,
  type WebSearchOutput,
  type WebSearchResult,
} from "./tools/web-search/web-search.ts";
