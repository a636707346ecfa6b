import { pdfOperation } from './pdf-operation.ts';

export default pdfOperation(
  'new',
  'portal.createNewPdf',
  '/apps/portal/v1/pdf-new',
  'Print listings in the new design: two A4 pages per listing, one for every two floor plans, and others by `pages` and `gallery`.',
);
