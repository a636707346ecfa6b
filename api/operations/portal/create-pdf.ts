/** Listing PDFs (rows 11 and 12): the same request, two designs. */
import { z } from 'zod';
import pdfJob, { type DesignName, OnError } from '../../../workers/pdf/contract.ts';
import { ListingList } from '../../../workers/pdf/listing.ts';
import { defineJobOperation } from '../../job-operation.ts';

const PdfRequest = z.object({
  ...ListingList.shape,
  onError: OnError.describe(
    'What to do about a photo that cannot be had: `placeholder` with a warning, or `fail`.',
  ),
});

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
    async accept({ body }, { services }) {
      const input = await services.inputs.put(body.list);
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
