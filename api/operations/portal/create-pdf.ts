/** Listing PDFs (rows 11 and 12): the same request, two designs. */
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { Warning } from '../../../core/job-record.ts';
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

/** Photos that cannot be had wherever they are looked for. */
function unusablePhotos(list: readonly Listing[]): Warning[] {
  const isUsable = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return list.flatMap(({ photo, agent }, index) =>
    [
      ...photo.map((url, place) => ({ url, pointer: `/list/${index}/photo/${place}` })),
      ...(agent.photo === '' ? [] : [{ url: agent.photo, pointer: `/list/${index}/agent/photo` }]),
    ].flatMap(({ url, pointer }) =>
      isUsable(url) ? [] : [{ pointer, detail: 'This is no http or https address.' }],
    ),
  );
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
    async validate({ body }) {
      const warnings = unusablePhotos(body.list);
      if (body.onError === 'placeholder' || warnings.length === 0) return warnings;
      throw new ServiceError('invalid-input', 'The PDF could not have all of its photos.', {
        faults: warnings,
      });
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
