import type { JsonObject } from "../json.ts";

/**
 * Why an evaluation failed. No Error, as one is made for each item that a macro has to pass over, and a stack takes longer
 * than the rest of the item. It never leaves {@link evaluateCel}'s callers.
 */
export class CelFailure {
  constructor(
    readonly message: string,
    readonly position: number,
    /** The map in which a key was sought. Its keys are told only where somebody reads it. */
    readonly holder?: JsonObject,
  ) {}
}

/** An evaluation came to more than it may cost. Neither `||` nor a macro goes on after it. */
export class CelLimitExceeded {
  /** What it had come to, had it gone on. */
  constructor(readonly used: number) {}
}

/** How many characters of a text are looked at for 1. */
const charactersPerUnit = 32;

/** What an evaluation may still cost. It is paid before the work, about 100 ns for 1. */
export class CelBudget {
  private spent = 0;

  constructor(private readonly max: number) {}

  /** Throws {@link CelLimitExceeded}. */
  pay(cost: number): void {
    this.spent += cost;
    if (this.spent > this.max) throw new CelLimitExceeded(Math.ceil(this.spent));
  }

  /** Pays for a text that is used as a key, for which the engine hashes it and looks for its like. */
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
