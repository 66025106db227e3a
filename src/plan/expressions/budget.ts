import type { JsonObject } from "../../core/json.ts";

/**
 * Why an evaluation failed. Not an `Error`: one is created for each item that a macro has to skip, and a stack takes
 * longer than the rest of the item. It never leaves {@link evaluateCel}'s callers.
 */
export class CelFailure {
  constructor(
    readonly message: string,
    readonly position: number,
    /** The map in which a key was sought. Its keys are listed only if the message is shown. */
    readonly holder?: JsonObject,
  ) {}
}

/** An evaluation exceeded the cost limit. Neither `||` nor a macro continues after it. */
export class CelLimitExceeded {
  /** What it would have cost, had it continued. */
  constructor(readonly used: number) {}
}

/** How many characters of a text are processed for a cost of 1. */
const charactersPerUnit = 32;

/** What an evaluation may still cost. Costs are paid before the work; a cost of 1 is about 100 ns. */
export class CelBudget {
  private spent = 0;

  constructor(private readonly max: number) {}

  /** Throws {@link CelLimitExceeded}. */
  pay(cost: number): void {
    this.spent += cost;
    if (this.spent > this.max) throw new CelLimitExceeded(Math.ceil(this.spent));
  }

  /** Pays for a text that is used as a key, which the engine hashes and looks up. */
  payForKey(length: number): void {
    this.pay(length / 4);
  }

  /** Pays for a text that is walked once. */
  payForText(length: number): void {
    this.pay(length / charactersPerUnit);
  }
}

/** Fails an evaluation. A function and not a method, so that the compiler knows that it does not return. */
export function fail(message: string, position: number, holder?: JsonObject): never {
  throw new CelFailure(message, position, holder);
}
