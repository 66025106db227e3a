export class RecentMap<TValue> {
  readonly #values = new Map<string, TValue>();

  constructor(private readonly maxSize: number) {}

  get(key: string): TValue | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  set(key: string, value: TValue): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.maxSize) return;
    const { value: oldest } = this.#values.keys().next();
    if (oldest !== undefined) this.#values.delete(oldest);
  }
}
