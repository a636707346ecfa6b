/** Tidies the API document's schemas: each is written once for input and once for output, and most are only the one. */

const reference = /"#\/components\/schemas\/([\w.-]+)"/g;

/** Keeps the schemas that something refers to; one that is only sent goes by its own name, without `Input`. */
export function withUsedSchemas<D extends { components?: { schemas?: object }; paths?: object }>(
  document: D,
): D {
  const schemas = new Map(Object.entries(document.components?.schemas ?? {}));
  const used = new Set<string>();
  const take = (part: unknown): void => {
    for (const [, name = ''] of (JSON.stringify(part) ?? '').matchAll(reference)) {
      if (used.has(name)) continue;
      used.add(name);
      take(schemas.get(name));
    }
  };
  take(document.paths);
  const shortNames = new Map([...used].map(name => [name, shortName(name, used)]));
  const named = <T>(part: T): T =>
    JSON.parse(
      JSON.stringify(part).replaceAll(
        reference,
        (_, name) => `"#/components/schemas/${shortNames.get(name)}"`,
      ),
    );
  const kept = [...used].sort().map(name => [shortNames.get(name), named(schemas.get(name))]);
  return {
    ...document,
    paths: named(document.paths),
    components: { ...document.components, schemas: Object.fromEntries(kept) },
  };
}

function shortName(name: string, used: ReadonlySet<string>): string {
  const short = name.replace(/Input$/, '');
  return used.has(short) ? name : short;
}
