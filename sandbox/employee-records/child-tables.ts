/** Child tables of a document: each row is stored with the members that the vendor generates. */
import { createHash } from 'node:crypto';
import { type ChildRow, type Doc, doctypes } from './doctypes.ts';

/** Completes the rows of the document's child tables; unknown members are ignored. */
export function withTables(doctypeName: string, doc: Doc): Doc {
  const tables = Object.entries(doctypes[doctypeName]?.tables ?? {}).map(([field, { doctype, fields }]) => {
    const given = doc[field];
    const rows = Array.isArray(given) ? given : [];
    const complete = rows.map((row: ChildRow, index) => ({
      doctype,
      name: createHash('sha1').update(`${doc.name} ${field} ${index}`).digest('hex').slice(0, 10),
      parent: doc.name,
      parentfield: field,
      parenttype: doctypeName,
      idx: index + 1,
      docstatus: 0,
      ...Object.fromEntries(fields.map(member => [member, row[member] ?? null])),
    }));
    return [field, complete] as const;
  });
  return { ...doc, ...Object.fromEntries(tables) };
}
