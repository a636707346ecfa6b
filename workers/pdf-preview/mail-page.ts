/** The mail of a brochure as one HTML page, with its pictures inside. Nothing is sent. */
import { z } from 'zod';
import { BrandsConfig } from '../../core/domain/brands/brands.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import { openMailTemplate } from '../../core/mail/template.ts';
import { StorageConfig } from '../../core/storage/config.ts';
import type { PdfRuntime } from '../pdf/pdf-runtime.ts';
import { readListings } from '../pdf/read-listings.ts';
import { brochureMail, openMailBrand } from '../pdf-mail/brochure-mail.ts';
import { firstPage } from '../pdf-mail/first-page.ts';
import type { WorkerServices } from '../services.ts';
import type contract from './contract.ts';

/** A mail that is not sent has no short link. */
const url = '#';
/** A preview shows the pages of the design. */
const [pages, gallery] = ['fixed', 'standard'] as const;

export const MailPageConfig = z.object({
  ...BrandsConfig.shape,
  ...StorageConfig.pick({ RESULT_RETENTION_HOURS: true }).shape,
});

export async function openMailPage(
  settings: z.infer<typeof MailPageConfig>,
  { inputs }: Pick<WorkerServices, 'inputs'>,
) {
  const template = await openMailTemplate('brochure');
  return async (payload: z.output<typeof contract.payload>, { signal }: JobContext, runtime: PdfRuntime) => {
    const expiresAt = new Date(Date.now() + settings.RESULT_RETENTION_HOURS * 3_600_000).toISOString();
    const file = { contentType: 'application/pdf' };
    const order = { ...payload, layout: payload.design, pages, gallery, expiresAt, file };
    const brand = await openMailBrand(order, settings);
    const listings = await readListings(payload.input, inputs, brand);
    const { subject, message } = payload.mail ?? {};
    const viewWith = brochureMail({ order, brand, listings, subject, message, url });
    const picture = await firstPage(order, listings, runtime, signal);
    const view = viewWith({ hasPicture: true, attachedBytes: undefined, optOutUrl: undefined });
    const { html } = await template.render(view);
    const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
    return {
      subject: view.subject,
      html: html
        .replace('cid:logo', dataUrl('image/png', brand.logo))
        .replace('cid:page', dataUrl('image/jpeg', picture)),
    };
  };
}
