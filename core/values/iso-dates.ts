export type IsoDates<T> = {
  [Name in keyof T]: Date extends T[Name] ? Exclude<T[Name], Date> | string : T[Name];
};

/** The record with its dates as ISO 8601 texts, as JSON has them. */
export function isoDates<T extends object>(record: T): IsoDates<T>;
export function isoDates(record: object): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
}
