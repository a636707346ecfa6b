/** Links between documents: a document to which others link cannot be deleted. */
import type { Documents } from './check-doc.ts';
import { type Doc, doctypes } from './doctypes.ts';
import { FrappeError } from './frappe-error.ts';

interface Target {
  doctype: string;
  name: string;
}

/** The documents whose link fields contain the target, by doctype; without the target itself. */
export function linkedDocs({ doctype: linked, name }: Target, documents: Documents): Record<string, Doc[]> {
  const found = [...documents].map(([doctype, docs]) => {
    const fields = Object.entries(doctypes[doctype]?.fields ?? {})
      .filter(([, { link }]) => link === linked)
      .map(([field]) => field);
    const isLinked = (doc: Doc): boolean =>
      fields.some(field => doc[field] === name) && (doctype !== linked || doc.name !== name);
    return [doctype, fields.length === 0 ? [] : docs.all().filter(isLinked)] as const;
  });
  return Object.fromEntries(found.filter(([, docs]) => docs.length > 0));
}

/** @throws FrappeError that names one of the linked documents */
export function rejectLinked(target: Target, documents: Documents): void {
  const [first] = Object.entries(linkedDocs(target, documents));
  if (!first) return;
  const [doctype, [doc]] = first;
  throw new FrappeError(
    'LinkExistsError',
    `Cannot delete or cancel because ${target.doctype} ${anchor(target)} is linked with ${doctype} ${anchor({ doctype, name: doc?.name ?? '' })} `,
  );
}

const anchor = ({ doctype, name }: Target): string =>
  `<a href="https://erp.meridianpalm.example/app/${doctype.toLowerCase().replaceAll(' ', '-')}/${encodeURIComponent(name)}">${name}</a>`;
