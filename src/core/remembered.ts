export function remembered<TKey extends object, TResult>(compute: (key: TKey) => TResult): (key: TKey) => TResult {
  const known = new WeakMap<TKey, { readonly result: TResult }>();
  return (key) => {
    let found = known.get(key);
    if (found === undefined) {
      found = { result: compute(key) };
      known.set(key, found);
    }
    return found.result;
  };
}
