import type { RunStore } from "planwright";

/** A store that answers one turn later. */
export function answerLater(store: RunStore): RunStore {
  const later = async <T>(answer: () => T | Promise<T>): Promise<T> => {
    await Promise.resolve();
    return answer();
  };
  return {
    append: (...args) => later(() => store.append(...args)),
    read: (...args) => later(() => store.read(...args)),
    list: (...args) => later(() => store.list(...args)),
    claim: (...args) => later(() => store.claim(...args)),
    renew: (...args) => later(() => store.renew(...args)),
    release: (...args) => later(() => store.release(...args)),
    post: (...args) => later(() => store.post(...args)),
    delete: (...args) => later(() => store.delete(...args)),
  };
}
