/** Renders one page of one listing, or of a cover, as an image, or the mail as HTML, in its own queue, so that previews never wait for brochures. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';
import { Cover, DesignName, MailTexts, PageLanguage, RequestWarnings } from '../pdf/contract.ts';

/** Pixels per inch on paper; 96 renders A4 as 794 × 1123 pixels. */
export const PreviewDpi = z.int().min(24).max(200).default(96);

/** From 1. The classic design has one page per listing, the new one two; floor plans are on one more. */
export const PreviewPage = z.int().min(1).max(5).default(1);

export default defineJob({
  kind: 'pdf-preview',
  subject: 'brochures',
  summary:
    'Renders one page of one listing, or of a cover, as PNG or JPEG, as it would be printed; or the mail as HTML.',
  payload: z.object({
    design: DesignName,
    input: z.string().describe('SHA-256 of the stored listing list.'),
    page: PreviewPage,
    dpi: PreviewDpi,
    format: z.enum(['png', 'jpeg']).default('png'),
    language: PageLanguage,
    brand: z.string().optional(),
    cover: Cover,
    mail: MailTexts.optional(),
    warnings: RequestWarnings,
  }),
  result: z
    .object({
      design: DesignName.describe('The design.'),
      page: z.int().describe('Page number.'),
      dpi: z.int().describe('Pixels per inch.'),
      width: z.int().optional().describe('In pixels; absent for a mail.'),
      height: z.int().optional().describe('In pixels; absent for a mail.'),
      subject: z.string().optional().describe('Of the mail.'),
      bytes: z.int().describe('Size of the file.'),
      sha256: z.string().describe('SHA-256 of the file, hexadecimal.'),
    })
    .meta({
      examples: [
        {
          design: 'new',
          page: 1,
          dpi: 96,
          width: 794,
          height: 1_123,
          bytes: 388_014,
          sha256: '6f0c9b1d5e8a4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3',
        },
      ],
    }),
  // A person waits for the preview on screen.
  attempts: 3,
  backoffMs: 100,
  timeoutMs: 30_000,
  retriesTimeouts: true,
  concurrency: 2,
  // An editor requests several each second.
  resultHours: 1,
});
