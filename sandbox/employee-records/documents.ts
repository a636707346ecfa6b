/** `/api/resource/…` and `/api/method/…`: lists, counts, reads, creates, changes and deletes documents. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collection } from '../kit/collection.ts';
import { checkDoc, type Documents } from './check-doc.ts';
import { withTables } from './child-tables.ts';
import { type Doc, type Doctype, doctypes } from './doctypes.ts';
import { FrappeError } from './frappe-error.ts';
import { linkedDocs, rejectLinked } from './links.ts';
import { filterDocs, listDocs } from './list-query.ts';

type DocRequest = FastifyRequest<{ Params: { doctype: string; name: string }; Querystring: Record<string, unknown> }>;

const Value = z.union([z.string(), z.number(), z.null()]);
const Fields = z.record(z.string(), z.union([Value, z.array(z.record(z.string(), Value))]));
type Fields = z.infer<typeof Fields>;

export interface DocumentContext {
  documents: Documents;
  /** Returns the next name in the doctype's naming series. */
  nextName: (doctypeName: string) => string;
  /** Number of the last employees that lists omit. */
  hidden: () => number;
  /** Whether some employees have a status of the company's own. */
  isMessy: () => boolean;
}

export function addDocuments(app: FastifyInstance, { documents, nextName, hidden, isMessy }: DocumentContext): void {
  const collectionOf = (name: string): { doctype: Doctype; docs: Collection<Doc> } => {
    const doctype = doctypes[name];
    const docs = documents.get(name);
    if (!doctype || !docs) throw new FrappeError('DoesNotExistError', `DocType ${name} not found`);
    return { doctype, docs };
  };
  const found = ({ doctype, name }: DocRequest['params']): Doc => {
    const doc = collectionOf(doctype).docs.get(name);
    if (doc) return doc;
    throw new FrappeError('DoesNotExistError', `${doctype} ${name} not found`);
  };
  app.get('/resource/:doctype', ({ params, query }: DocRequest) => {
    const { doctype, docs } = collectionOf(params.doctype);
    if (params.doctype !== 'Employee') return { data: listDocs(docs.all(), doctype, query) };
    const shown = docs.all().slice(0, docs.size - hidden());
    return { data: listDocs(isMessy() ? shown.map(messyEmployee) : shown, doctype, query) };
  });
  app.get('/resource/:doctype/:name', ({ params }: DocRequest) => ({
    data: { doctype: params.doctype, ...found(params) },
  }));

  app.post('/resource/:doctype', ({ params, body }: DocRequest) => {
    const { doctype, docs } = collectionOf(params.doctype);
    const doc = newDoc(doctype, fieldsOf(body, doctype), () => nextName(params.doctype));
    if (docs.get(doc.name))
      throw new FrappeError('DuplicateEntryError', `${params.doctype} ${doc.name} already exists`);
    return save(params.doctype, doc, documents);
  });

  app.put('/resource/:doctype/:name', ({ params, body }: DocRequest) => {
    const doc = found(params);
    const { doctype } = collectionOf(params.doctype);
    return save(params.doctype, { ...doc, ...fieldsOf(body, doctype), name: doc.name }, documents);
  });

  app.delete('/resource/:doctype/:name', ({ params }: DocRequest, reply: FastifyReply) => {
    const doc = found(params);
    rejectLinked(params, documents);
    documents.get(params.doctype)?.delete(doc.name);
    return reply.code(202).send({ data: 'ok' });
  });

  app.get('/method/frappe.client.get_count', ({ query }: DocRequest) => {
    const { doctype, docs } = collectionOf(String(query.doctype));
    return { message: filterDocs(docs.all(), doctype, query).length };
  });
  app.get('/method/frappe.desk.form.linked_with.get', ({ query }: DocRequest) => {
    const target = { doctype: String(query.doctype), name: String(query.docname) };
    found(target);
    const linked = Object.entries(linkedDocs(target, documents)).map(([doctype, docs]) => [
      doctype,
      docs.map(({ name, modified, docstatus }) => ({ name, modified, docstatus })),
    ]);
    return { message: Object.fromEntries(linked) };
  });
  app.get('/method/frappe.auth.get_logged_user', () => ({ message: 'portal@meridianpalm.example' }));
}

/** One employee in 20 has a status of the company's own. */
const messyEmployee = (doc: Doc): Doc => (/[02468]7$/.test(doc.name) ? { ...doc, status: 'Probation' } : doc);

/** @throws FrappeError when the document is not valid */
function save(doctype: string, doc: Doc, documents: Documents): { data: Doc } {
  const whole = {
    ...withTables(doctype, doc),
    ...(doctype === 'Employee' && {
      employee_name: [doc.first_name, doc.middle_name, doc.last_name].filter(Boolean).join(' '),
    }),
    modified: new Date().toISOString().replace('T', ' ').replace('Z', '000'),
  };
  checkDoc(doctype, whole, documents);
  documents.get(doctype)?.put(whole);
  return { data: whole };
}

/** Fields that the doctype does not have are ignored. */
function fieldsOf(body: unknown, doctype: Doctype): Fields {
  const given = Fields.safeParse(body);
  if (!given.success) throw new FrappeError('ValidationError', 'Invalid value');
  return Object.fromEntries(
    Object.entries(given.data).filter(([name]) => name in doctype.fields || name in (doctype.tables ?? {})),
  );
}

function newDoc(doctype: Doctype, fields: Fields, nextName: () => string): Doc {
  const empty = Object.fromEntries(Object.keys(doctype.fields).map(name => [name, null]));
  const created = new Date().toISOString().replace('T', ' ').replace('Z', '000');
  const doc = {
    ...empty,
    owner: 'portal@meridianpalm.example',
    modified_by: 'portal@meridianpalm.example',
    creation: created,
    docstatus: 0,
    idx: 0,
    ...fields,
    name: '',
  };
  return { ...doc, name: doctype.nameOf?.(doc) ?? nextName() };
}
