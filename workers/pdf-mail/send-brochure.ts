/** Sends one brochure by e-mail. */
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import type { BrandsConfig } from '../../core/domain/brands/brands.ts';
import { hashOf } from '../../core/domain/consent/contact.ts';
import { optOutUrl } from '../../core/domain/consent/opt-out-link.ts';
import { createSuppressions } from '../../core/domain/consent/suppressions.ts';
import { createLinks } from '../../core/domain/links/links.ts';
import { signedUrl } from '../../core/domain/links/signed-link.ts';
import type { JobContext, JobSuccess } from '../../core/jobs/handler.ts';
import type { Mailer } from '../../core/mail/mailer.ts';
import type { openMailTemplate } from '../../core/mail/template.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { publicUrl } from '../../core/runtime/service-config.ts';
import { type MailOrder, MailRequest } from '../pdf/contract.ts';
import type { PdfRuntime } from '../pdf/pdf-runtime.ts';
import { fileNameOf } from '../pdf/print-brochure.ts';
import { readListings } from '../pdf/read-listings.ts';
import type { WorkerServices } from '../services.ts';
import { brochureMail, openMailBrand, replyTo } from './brochure-mail.ts';
import type contract from './contract.ts';
import { firstPage } from './first-page.ts';
import { type Recipient, sendToEach } from './send-to-each.ts';

interface Services extends WorkerServices, PdfRuntime {
  mailer: Mailer;
  template: Awaited<ReturnType<typeof openMailTemplate>>;
  settings: BrandsConfig & { MAIL_ATTACHMENT_MB: number };
}

/** As `deliver.email` of the request, with a list of recipients. */
const StoredMail = MailRequest.extend({ to: z.array(z.string()) });

export async function sendBrochure(
  order: MailOrder,
  context: JobContext,
  services: Services,
): Promise<JobSuccess<z.input<typeof contract.result>>> {
  const stored = await services.inputs.get(order.mail);
  if (stored === undefined) throw new ServiceError('gone', 'The recipients of this mail have been deleted.');
  if (Date.parse(order.expiresAt) <= Date.now())
    throw new ServiceError('gone', 'The result expired before the mail could be sent; send the request again.');
  const mail = StoredMail.parse(stored);
  const { subject, message } = mail;
  const brand = await openMailBrand(order, services.settings);
  const listings = await readListings(order.input, services.inputs, brand);
  const link = await createLink(order, fileNameOf(listings), context, services);
  const viewWith = brochureMail({ order, brand, listings, subject, message, url: link.shortUrl });
  const picture = await firstPage(order, listings, services, context.signal).catch((error: unknown) => {
    context.signal.throwIfAborted();
    context.logger.warn({ err: error }, 'the mail is sent without the picture of the first page');
    return undefined;
  });
  const file = await attachment(order, services);
  const images = [
    { cid: 'logo', filename: 'logo.png', contentType: 'image/png', content: brand.logo },
    ...(picture ? [{ cid: 'page', filename: 'page.jpg', contentType: 'image/jpeg', content: picture }] : []),
  ];
  /** @param isAttached false: with the link only */
  const mailWith = async (isAttached: boolean, { optOutUrl: url }: Recipient) => {
    const attachedBytes = isAttached ? file?.content.length : undefined;
    const view = viewWith({ hasPicture: picture !== undefined, attachedBytes, optOutUrl: url });
    return {
      ...(await services.template.render(view)),
      subject: view.subject,
      fromName: brand.name,
      replyTo: replyTo(listings, brand),
      optOutUrl: url,
      attachments: isAttached && file ? [...images, file] : images,
    };
  };
  const recipients = await recipientsOf(mail, services);
  const sent = await sendToEach(recipients, { mailWith, hasFile: file !== undefined }, context, services);
  return {
    result: { recipients: recipients.length, ...sent, link: { id: link.id, expiresAt: order.expiresAt } },
  };
}

async function recipientsOf(
  { to, kind }: z.output<typeof StoredMail>,
  { database, secrets, config }: Services,
): Promise<Recipient[]> {
  if (kind === 'transactional') return to.map(address => ({ address, hasOptedOut: false }));
  const suppressions = createSuppressions(database);
  const recipients: Recipient[] = [];
  for (const address of to) {
    const hasOptedOut = (await suppressions.find(await hashOf(address, secrets))) !== undefined;
    const url = await optOutUrl(address.toLowerCase(), publicUrl(config) + config.BASE_PATH, secrets);
    recipients.push({ address, hasOptedOut, optOutUrl: url });
  }
  return recipients;
}

/** A short link of its own, so that its clicks are counted; a repeated run finds it. */
async function createLink(order: MailOrder, name: string, { clientId }: JobContext, services: Services) {
  const { config, secrets, database } = services;
  const expiresAt = new Date(order.expiresAt);
  const signed = { purpose: 'result-links', id: order.job, expires: Math.floor(expiresAt.getTime() / 1_000) } as const;
  const url = await signedUrl(signed, `${publicUrl(config)}${config.BASE_PATH}/results/${order.job}`, secrets);
  const draft = { kind: 'mail', name, url, expiresAt, reference: order.job, clientId } as const;
  const [made] = await createLinks(database, publicUrl(config)).create([draft], { findExisting: true });
  if (!made) throw new Error('links.create returned no link');
  return made.link;
}

/** Undefined for a file that is too large. @throws ServiceError not-found when the file is lost */
async function attachment({ file }: MailOrder, { results, settings }: Services) {
  if (file.bytes > settings.MAIL_ATTACHMENT_MB * 1_000_000) return undefined;
  const { stream } = await results.open(file.key);
  return { filename: file.fileName, contentType: file.contentType, content: await buffer(stream) };
}
