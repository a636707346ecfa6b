/** @returns a function that makes the value at its first call and returns the same value each time, which callers must not change */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
