/** Listing PDFs (rows 11 and 12): the same request, two designs. */
import { z } from 'zod';
import pdfJob, { type DesignName, OnError } from '../../../workers/pdf/contract.ts';
import { Listing, ListingList } from '../../../workers/pdf/listing.ts';
import { defineJobOperation } from '../../job-operation.ts';

const PdfRequest = z.object({
  ...ListingList.shape,
  onError: OnError.describe(
    'What to do about a photo that cannot be had: `placeholder` with a warning, or `fail`.',
  ),
});

/** The portal may send the CRM's id under a name of its own; `crm_id` itself goes first. */
function withCrmIds(list: readonly Listing[], body: unknown, field: string): Listing[] {
  const named = z
    .object({ list: z.array(z.object({ [field]: Listing.shape.crm_id.catch('') })) })
    .parse(body);
  return list.map((listing, index) => ({
    ...listing,
    crm_id: listing.crm_id || (named.list[index]?.[field] ?? ''),
  }));
}

const pdfOperation = (design: DesignName, id: string, path: string, summary: string) =>
  defineJobOperation({
    summary,
    id,
    method: 'POST',
    path,
    scope: 'pdf',
    request: { body: PdfRequest },
    job: pdfJob,
    file: 'application/pdf',
    async accept({ body }, { services, request }) {
      const list = withCrmIds(body.list, request.body, services.config.LISTING_CRM_ID_FIELD);
      const input = await services.inputs.put(list);
      return { design, input, listings: body.list.length, onError: body.onError };
    },
  });

export default [
  pdfOperation(
    'classic',
    'portal.createPdf',
    '/apps/portal/v1/pdf',
    'Listing PDF, classic design: one A4 page a listing.',
  ),
  pdfOperation(
    'new',
    'portal.createNewPdf',
    '/apps/portal/v1/pdf-new',
    'Listing PDF, new design: exactly two A4 pages a listing, whatever the content.',
  ),
];
