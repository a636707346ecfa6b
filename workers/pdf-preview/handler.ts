/** Renders one page of a listing or of a cover as an image, or the mail as HTML, with the same designs, photos and fonts as a brochure. */
import sharp from 'sharp';
import { z } from 'zod';
import { defineHandler, type JobContext, type JobSuccess } from '../../core/jobs/handler.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { composeDocument } from '../pdf/compose-document.ts';
import { withOfficialPermits } from '../pdf/lint/official-permits.ts';
import { acquirePdfRuntime, type PdfRuntime, PdfRuntimeConfig } from '../pdf/pdf-runtime.ts';
import { today } from '../pdf/print-brochure.ts';
import type { ReportStage } from '../pdf/progress.ts';
import { readListings } from '../pdf/read-listings.ts';
import type { WorkerServices } from '../services.ts';
import contract from './contract.ts';
import { MailPageConfig, openMailPage } from './mail-page.ts';

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;
type PreviewServices = PdfRuntime &
  Pick<WorkerServices, 'inputs' | 'results'> & { mailPage: Awaited<ReturnType<typeof openMailPage>> };

export default defineHandler({
  job: contract,
  config: z.object({ ...PdfRuntimeConfig.shape, ...MailPageConfig.shape }),
  async open(config, services: WorkerServices) {
    const runtime = await acquirePdfRuntime(config, services);
    const mailPage = await openMailPage(config, services);
    return {
      handle(payload, context) {
        const render = payload.mail ? renderMail : renderPreview;
        return render(payload, context, { ...services, ...runtime, mailPage });
      },
      close: () => runtime.close(),
    };
  },
});

async function renderMail(
  payload: Payload,
  context: JobContext,
  services: PreviewServices,
): Promise<JobSuccess<Result>> {
  for (const warning of payload.warnings ?? []) context.warn(warning);
  const { design, page, dpi } = payload;
  const { subject, html } = await services.mailPage(payload, context, services);
  const key = `pdf-preview/${context.jobId}.html`;
  const contentType = 'text/html; charset=utf-8';
  const { size: bytes, sha256 } = await services.results.put(key, Buffer.from(html), { contentType });
  return {
    result: { design, page, dpi, subject, bytes, sha256 },
    file: { key, contentType, fileName: 'mail.html', bytes, sha256 },
  };
}

async function renderPreview(
  payload: Payload,
  context: JobContext,
  services: PreviewServices,
): Promise<JobSuccess<Result>> {
  const { design: name, page, dpi, format, cover } = payload;
  const isOfCover = cover !== false;
  const design = await services.chooseDesign({ ...payload, date: isOfCover ? today() : undefined });
  const stored = await readListings(payload.input, services.inputs, design);
  const { listings } = await withOfficialPermits(stored, design.permitBrand, services.permits, context);
  const report: ReportStage = (stage, done, total) =>
    context.progress(stage, done, total, (stage === 'photos' ? 0 : 35) + (35 * done) / total);
  // The cover is before the pages of the listings.
  const drawn = isOfCover ? 0 : page;
  const composed = await composeDocument(listings, design, services.photos, { ...context, report, page: drawn });
  const { photos, prepared, document } = composed;
  for (const warning of payload.warnings ?? []) context.warn(warning);
  for (const { pointer, detail } of [...photos.faults, ...photos.small, ...photos.mapFaults])
    context.warn({ pointer, detail });
  const pages = isOfCover ? design.coverPagesOf(listings.length) : design.pagesOf(prepared);
  if (page > pages) {
    const reason = isOfCover ? `the cover has ${pages}` : 'not all floor plans could be loaded';
    throw new ServiceError('invalid-input', `There is no page ${page}: ${reason}.`);
  }
  context.progress('picturing', 0, 1, 70);
  const views = [{ selector: isOfCover ? '.cover' : '[data-listing]', page, dpi, format }];
  const [image = Buffer.alloc(0)] = await services.printer.screenshots(document, views);

  const contentType = `image/${format}`;
  const extension = format === 'png' ? 'png' : 'jpg';
  const key = `pdf-preview/${context.jobId}.${extension}`;
  const { size: bytes, sha256 } = await services.results.put(key, image, { contentType });
  const { width, height } = await sharp(image).metadata();
  return {
    result: { design: name, page, dpi, width, height, bytes, sha256 },
    file: { key, contentType, fileName: `page-${page}.${extension}`, bytes, sha256 },
  };
}
