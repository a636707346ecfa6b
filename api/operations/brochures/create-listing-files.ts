/** Files of each listing in one ZIP: brochures, and images for sharing. */
import pdfJob, { DesignName, ListingFiles } from '../../../workers/pdf/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { acceptPrint, checkPrint, PrintRequest, printProblems } from './print-request.ts';

const FilesRequest = PrintRequest.extend({
  files: ListingFiles.describe('The files to make of each listing.'),
  design: DesignName.default('new').describe('Of the brochures. The images have one design.'),
});

export default defineJobOperation({
  summary:
    'Create files of each listing: brochures as PDF, and images for social networks; together as ZIP, or one by one.',
  id: 'portal.createListingFiles',
  route: 'POST /apps/portal/v1/pdf/files',
  scope: 'pdf',
  request: { body: FilesRequest },
  job: pdfJob,
  file: 'application/zip',
  problems: printProblems,
  accept: ({ body }, call) => acceptPrint(body, call),
  validate: ({ body }, call) => checkPrint(body, call),
});
