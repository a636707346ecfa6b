/** Reads reference data from the system, each page only when it has changed. */
import { type PropertyProjects, referencePageSize } from '../../integrations/property-projects/client.ts';
import type { Reference, ReferenceName } from '../../integrations/property-projects/reference.ts';
import type { ReferenceQuery } from '../../integrations/property-projects/reference-query.ts';

interface CopiedPage<Row> {
  etag: string | null;
  items: Row[];
}

export interface Copy<Row> {
  pages: CopiedPage<Row>[];
  /** When the system last said that this is how it is. */
  checkedAt: Date;
}

/** Who has a copy to answer with does not wait long for the system. */
const patienceWithCopyMs = 3_000;
/** A system that goes on for ever is cut off here. */
const mostPages = 1_000;

/** @returns the same pages, and not equal ones, when nothing has changed */
export async function readAgain<N extends ReferenceName>(
  client: PropertyProjects,
  query: ReferenceQuery<N>,
  known: Copy<Reference<N>> | undefined,
): Promise<Copy<Reference<N>>> {
  const checkedAt = new Date();
  const pages: CopiedPage<Reference<N>>[] = [];
  let count = known?.pages.length ?? 1;
  for (let number = 1; number <= Math.min(count, mostPages); number += 1) {
    const before = known?.pages[number - 1];
    const page = await client.referencePage(query, number, {
      etag: before?.etag ?? undefined,
      ...(known && { timeoutMs: patienceWithCopyMs }),
    });
    if (page) count = Math.max(1, Math.ceil(page.total / referencePageSize));
    pages.push(page ? { etag: page.etag ?? null, items: page.items } : (before ?? { etag: null, items: [] }));
  }
  const isUnchanged =
    known?.pages.length === pages.length && pages.every((page, index) => page === known.pages[index]);
  return { pages: isUnchanged ? known.pages : pages, checkedAt };
}
