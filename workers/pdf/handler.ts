/** Prints a list of listings as one PDF. */
import { z } from 'zod';
import { createLinks } from '../../core/domain/links/links.ts';
import { defineHandler, type JobSuccess } from '../../core/jobs/handler.ts';
import { publicUrl } from '../../core/runtime/service-config.ts';
import { StorageConfig } from '../../core/storage/config.ts';
import type { WorkerServices } from '../services.ts';
import { checkBrowser } from './check-browser.ts';
import contract, { MailOrder } from './contract.ts';
import { makeListingFiles } from './listing-files.ts';
import { acquirePdfRuntime, PdfRuntimeConfig } from './pdf-runtime.ts';
import { printBrochure } from './print-brochure.ts';

export default defineHandler({
  job: contract,
  config: z.object({
    ...PdfRuntimeConfig.shape,
    ...StorageConfig.pick({ RESULT_RETENTION_HOURS: true }).shape,
  }),
  async open(config, services: WorkerServices) {
    const runtime = await acquirePdfRuntime(config, services);
    const links = createLinks(services.database, publicUrl(services.config));
    const retentionHours = config.RESULT_RETENTION_HOURS;
    return {
      async handle(payload, context) {
        const open = { ...services, ...runtime, links, retentionHours };
        const done = payload.files
          ? await makeListingFiles(payload, payload.files, context, open)
          : await printBrochure(payload, context, open);
        return { ...done, mail: mailOrderOf(payload, context.jobId, done, retentionHours) };
      },
      check: signal => checkBrowser(runtime, signal),
      freeSpace: () => runtime.photos.cache.prune(),
      close: () => runtime.close(),
    };
  },
});

function mailOrderOf(
  { mail, input, files, design, language, brand, cover, pages, gallery }: z.output<typeof contract.payload>,
  job: string,
  { file }: JobSuccess<unknown>,
  retentionHours: number,
): MailOrder | undefined {
  if (mail === undefined || !file) return undefined;
  const layout = files?.pdf === false ? 'card' : design;
  const expiresAt = new Date(Date.now() + retentionHours * 3_600_000).toISOString();
  return MailOrder.parse({ job, mail, input, layout, language, brand, cover, pages, gallery, file, expiresAt });
}
