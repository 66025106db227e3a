import { type Agent, type Clock, createAgent, isAgentError, type PendingItem, type RunStore } from "planwright";
import type { ApprovalSubject } from "../../src/core/approval.ts";
import { toRunResult } from "../../src/core/run-result.ts";
import { foldEvents } from "../../src/core/run-state.ts";
import { answerLater } from "../scenario/answer-later.ts";
import type { Disturbance, ResumeMethod } from "./disturbed-case.ts";
import { type DisturbedWorld, leaseMs, runId } from "./disturbed-world.ts";
import { createModelPlanner } from "./model-planner.ts";
import { type Call, createModelTools } from "./model-tools.ts";
import { decideAbout, planOf, policyOf } from "./play-case.ts";

/** Errors that a process may get when it resumes a run that another one has, or that it was to give up. */
const refusals: ReadonlySet<string> = new Set(["run-owned-elsewhere", "run-conflict"]);

/** One process of a world: an agent with its own clock and store, which may be disturbed. */
export class DisturbedProcess {
  private hasClosed = false;
  /** Whether it got an error because the run belongs to another process. */
  wasRefused = false;
  private readonly agent: Agent;
  private readonly cancelling = new AbortController();
  private isDead = false;
  /** Whether it has posted a request to the process that has the run, and waits: its signal ends only that wait. */
  private hasPosted = false;
  private broken: "fill" | "break" | undefined;
  private closing: Promise<void> | undefined;
  /** The disturbance that makes its store late, or never answer. */
  private slow: Disturbance | undefined;
  /** While it sleeps. */
  private waking: Promise<void> | undefined;
  private seen = 0;
  /** Its latest call. */
  private going: Promise<unknown> | undefined;
  private leave = () => {};
  /** Resolves when nobody should wait for it any more: it is dead or asleep. */
  private readonly gone = new Promise<void>((resolve) => {
    this.leave = resolve;
  });

  constructor(
    private readonly world: DisturbedWorld,
    private readonly how: ResumeMethod,
    private readonly disturbance?: Disturbance,
  ) {
    const { model } = world;
    const planner = createModelPlanner(model, this.clock);
    const listener = { clock: this.clock, stepOf: planner.stepOf, onCall: (call: Call) => this.onCall(call) };
    const store = this.createStore();
    this.agent = createAgent({
      tools: createModelTools(model.tools, 0, listener),
      store: model.isStoreSlow ? answerLater(store) : store,
      planner,
      clock: this.clock,
      createId: () => `${++world.ids}`,
      leaseMs,
      ...policyOf(model),
      ...(model.answers.length > 0 && { requestApproval: (subject) => this.approve(subject) }),
    });
    this.agent.subscribe(() => this.see("event"));
  }

  /** Resumes the run and answers its questions until it has ended, or this process is gone. */
  async live(): Promise<void> {
    const { disturbance, world } = this;
    const timer = disturbance?.at === "ms" && world.clock.setTimeout(() => this.disturb(), disturbance.nth);
    for (let going: Promise<unknown> | undefined = this.resumeRun(); going !== undefined; going = this.answer()) {
      const hasEnded = await Promise.race([this.follow(going), this.gone]);
      await this.closing;
      if (!hasEnded || this.closing !== undefined || this.broken !== undefined) break;
    }
    world.clock.clearTimeout(timer);
  }

  /** Settles when nothing that it has called is running here any more. */
  async ended(): Promise<void> {
    await this.waking;
    if (!this.isDead && this.slow?.store !== "never") await this.going;
  }

  /** Whether it has closed, so its lease is available to the next process. */
  get hasGivenBack(): boolean {
    return this.hasClosed && this.slow === undefined;
  }

  private resumeRun(): Promise<unknown> {
    this.hasPosted = false;
    const { agent, how, world } = this;
    const { signal } = this.cancelling;
    if (how === "resume") return agent.resume(runId, { signal });
    if (how === "start") return agent.execute(planOf(world.model), { ...world.runOptions, runId, signal });
    return agent.resumeAll({ signal }).then((resumed) => {
      for (const { error } of resumed) if (error !== undefined) throw Object.assign(new Error(error.message), error);
    });
  }

  /** Answers the first pending item of the run; undefined if there is none. */
  private answer(): Promise<unknown> | undefined {
    this.hasPosted = false;
    const { agent, world } = this;
    const { signal } = this.cancelling;
    const [item] = toRunResult(foldEvents(runId, world.recorded())).pending ?? [];
    if (item === undefined) return undefined;
    if (item.kind === "outcome") {
      const { stepId, iteration } = item;
      return agent.settle(runId, stepId, { iteration, signal, ...world.settlementOf(item) }).result;
    }
    return decideAbout(agent, { runId, item, verdict: verdictOn(item), signal }).result;
  }

  private async approve(subject: ApprovalSubject): Promise<"approve" | "reject"> {
    await new Promise<void>((resolve) => this.clock.setTimeout(resolve, 5));
    return verdictOn(subject);
  }

  /** Follows a call of this process to its end; a forbidden outcome is a problem. */
  private follow(going: Promise<unknown>): Promise<boolean> {
    const followed = going.then(
      () => true,
      (thrown: unknown) => {
        const code = isAgentError(thrown) ? thrown.code : String(thrown);
        const isExpected =
          refusals.has(code) ||
          (code === "interrupted" && this.closing !== undefined) ||
          (code === "cancelled" && this.hasPosted && this.cancelling.signal.aborted) ||
          (code === "store-failed" && (this.broken ?? this.slow) !== undefined);
        if (!isExpected) this.world.note(`${this.how} rejects with ${code}: ${String(thrown)}`);
        this.wasRefused ||= code === "run-owned-elsewhere";
        return false;
      },
    );
    this.going = followed;
    return followed;
  }

  private onCall(call: Call): void {
    if (this.hasClosed) this.world.note(`${call.key} is called though its agent was closed`);
    this.world.rows.push({ type: "call", by: this.how, call });
    this.see("call");
  }

  private see(moment: Disturbance["at"]): void {
    if (this.disturbance?.at === moment && ++this.seen === this.disturbance.nth) this.disturb();
  }

  private disturb(): void {
    const { disturbance, world } = this;
    if (disturbance === undefined) return;
    const { what, timeoutMs, oversleepsMs } = disturbance;
    world.noteDisturbance(disturbance);
    if (disturbance.store !== "prompt") this.slow = disturbance;
    if (what === "kill") this.isDead = true;
    else if (what === "sleep") this.waking = world.sleep(leaseMs + oversleepsMs).then(() => this.wake());
    else if (what === "close") this.closing = this.close(timeoutMs);
    else if (what === "cancel") this.cancelling.abort(new Error("enough"));
    else if (what !== "slow") this.broken = what;
    if (what === "kill" || what === "sleep") this.leave();
  }

  private wake(): void {
    this.waking = undefined;
  }

  private async close(timeoutMs: number): Promise<void> {
    const { clock } = this.world;
    const startMs = clock.now();
    await this.agent.close({ timeoutMs });
    const tookMs = clock.now() - startMs;
    if (tookMs > timeoutMs) this.world.note(`close took ${tookMs} ms of ${timeoutMs}`);
    this.hasClosed = true;
    // A call from before it had the run may wait for an answer for ever.
    if (this.slow?.store === "never") this.leave();
  }

  /** Time, as seen by a process that may sleep or die meanwhile. */
  private readonly clock: Clock = {
    now: () => this.world.clock.now(),
    setTimeout: (callback, delayMs) => {
      const timer = { isCleared: false, id: undefined as unknown };
      const fire = () => {
        if (timer.isCleared || this.isDead) return;
        if (this.waking === undefined) callback();
        else void this.waking.then(() => this.world.clock.setTimeout(fire, 0));
      };
      timer.id = this.world.clock.setTimeout(fire, delayMs);
      return timer;
    },
    clearTimeout: (timer) => {
      if (timer === undefined) return;
      const set = timer as { isCleared: boolean; readonly id: unknown };
      set.isCleared = true;
      this.world.clock.clearTimeout(set.id);
    },
  };

  private createStore(): RunStore {
    const { store, rows } = this.world;
    return {
      append: (id, events, options) => {
        this.see("append");
        return this.ask("append", () => {
          store.append(id, events, options);
          rows.push({ type: "append", by: this.how, events });
          this.see("appended");
        });
      },
      claim: (...args) => {
        this.see("claim");
        return this.ask("claim", () => store.claim(...args));
      },
      read: (...args) => this.ask("read", () => store.read(...args)),
      list: (...args) => this.ask("list", () => store.list(...args)),
      renew: (...args) => this.ask("renew", () => store.renew(...args)),
      release: (...args) => this.ask("release", () => store.release(...args)),
      post: (...args) => {
        this.hasPosted = true;
        return this.ask("post", () => store.post(...args));
      },
      delete: async (...args) => this.ask("delete", () => store.delete(...args)),
    };
  }

  /** The store's answers to this process: none once it is dead, and only while it is awake. */
  private ask<T>(operation: keyof RunStore, answer: () => T): T | Promise<T> {
    if (this.waking !== undefined) return this.waking.then(() => this.ask(operation, answer));
    if (this.isDead) return new Promise(() => {});
    const reach = () => {
      if (this.broken === "break" || (this.broken === "fill" && operation === "append")) {
        throw new Error("the disk is full, as the test says");
      }
      return answer();
    };
    if (this.slow !== undefined) return this.askSlowly(this.slow, reach);
    const said = reach();
    if (this.isDead) return new Promise(() => {});
    // The latest operation may be what made it slow.
    return this.slow === undefined ? said : this.delay(this.slow).then(() => said);
  }

  private async askSlowly<T>(slow: Disturbance, reach: () => T): Promise<T> {
    if (slow.slowIn === "asking") await this.delay(slow);
    try {
      return reach();
    } finally {
      if (slow.slowIn === "answering") await this.delay(slow);
    }
  }

  private delay({ store, lateMs }: Disturbance): Promise<void> {
    return store === "never" ? new Promise(() => {}) : this.world.sleep(lateMs);
  }
}

/** Inline requests and pending items both contain the input they are about. */
function verdictOn(asked: ApprovalSubject | PendingItem): "approve" | "reject" {
  return "input" in asked && (asked.input as { readonly flag?: unknown }).flag === 7 ? "reject" : "approve";
}
