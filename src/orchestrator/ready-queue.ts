/** The indexes of steps that may start; the lowest comes first. A binary heap: O(log n) per step. */
export class ReadyQueue {
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
