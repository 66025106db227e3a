import type { StepGraph } from "../run-progress.ts";

/** The steps of a plan, by index, whose dependencies are done and that have not been taken; the earliest comes first. */
export class ReadySteps {
  private readonly queue = new IndexHeap();

  constructor(private readonly graph: StepGraph) {}

  /** Adds a step, whether or not it was taken before. */
  add(index: number): void {
    this.queue.add(index);
  }

  /** Adds a step if it waits for no other one. */
  addIfFree(index: number): void {
    if (this.graph.waitingFor[index] === 0) this.queue.add(index);
  }

  /** A step is done; those that depended on it alone are not added yet. */
  countDone(index: number): void {
    const { waitingFor } = this.graph;
    for (const dependent of this.dependentsOf(index)) waitingFor[dependent] = (waitingFor[dependent] ?? 0) - 1;
  }

  /** A step is done: adds those that waited for nothing else, unless they were taken. */
  release(index: number): void {
    this.countDone(index);
    for (const dependent of this.dependentsOf(index)) this.addIfFree(dependent);
  }

  take(): number | undefined {
    return this.queue.take();
  }

  /** The step that {@link ReadySteps.take} would return if this one, which is running, were done. */
  peekAfter(index: number): number | undefined {
    // The dependents of a step are in order.
    const freed = this.dependentsOf(index).find((dependent) => this.graph.waitingFor[dependent] === 1);
    const { lowest } = this.queue;
    return freed === undefined || (lowest !== undefined && lowest < freed) ? lowest : freed;
  }

  /** Takes the step of {@link ReadySteps.peekAfter}. */
  takeNext(next: number): void {
    if (this.queue.lowest === next) this.queue.take();
    // As if it had one dependency less: it is never free again.
    else (this.graph.waitingFor[next] as number)--;
  }

  private dependentsOf(index: number): readonly number[] {
    return this.graph.dependents[index] ?? none;
  }
}

const none: readonly number[] = [];

/** Indexes, of which the lowest comes first. A binary heap: O(log n) per step. */
class IndexHeap {
  private readonly heap: number[] = [];

  add(index: number): void {
    let position = this.heap.push(index) - 1;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (this.at(parent) <= index) break;
      this.heap[position] = this.at(parent);
      position = parent;
    }
    this.heap[position] = index;
  }

  /** The lowest index; undefined if there is none. */
  get lowest(): number | undefined {
    return this.heap[0];
  }

  /** Removes and returns the lowest index; undefined if there is none. */
  take(): number | undefined {
    const lowest = this.heap[0];
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return lowest;
    let position = 0;
    for (;;) {
      const left = 2 * position + 1;
      const child = this.at(left + 1) < this.at(left) ? left + 1 : left;
      if (this.at(child) >= last) break;
      this.heap[position] = this.at(child);
      position = child;
    }
    this.heap[position] = last;
    return lowest;
  }

  private at(position: number): number {
    return this.heap[position] ?? Number.POSITIVE_INFINITY;
  }
}
