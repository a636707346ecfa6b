/** Listing PDFs in two designs, with the same request. */
import pdfJob, { Cover, type DesignName, MaxBytes, TrackLinks } from '../../../workers/pdf/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { acceptPrint, checkPrint, PrintRequest, printProblems } from './print-request.ts';

const PdfRequest = PrintRequest.extend({ maxBytes: MaxBytes, trackLinks: TrackLinks, cover: Cover });

export const pdfOperation = (design: DesignName, id: string, path: string, summary: string) =>
  defineJobOperation({
    summary,
    id,
    route: `POST ${path}`,
    scope: 'pdf',
    request: { body: PdfRequest },
    job: pdfJob,
    file: 'application/pdf',
    problems: printProblems,
    async accept({ body }, call) {
      const { payload, inputs } = await acceptPrint(body, call);
      return { payload: { design, ...payload }, inputs };
    },
    validate: ({ body }, call) => checkPrint(body, call),
  });
