import { pdfOperation } from './pdf-operation.ts';

export default pdfOperation(
  'classic',
  'portal.createPdf',
  '/apps/portal/v1/pdf',
  'Print listings in the classic design: one A4 page per listing, and one for every two floor plans.',
);
