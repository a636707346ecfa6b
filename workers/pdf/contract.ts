/** Prints listings as one PDF. The classic design has one A4 page per listing, the new design two; further photos and floor plans add some. */
import { z } from 'zod';
import { Consent } from '../../core/domain/consent/evidence.ts';
import { defineJob } from '../../core/jobs/contract.ts';
import { ResultFile, Warning } from '../../core/jobs/record.ts';

export const DesignName = z.enum(['classic', 'new']);
export type DesignName = z.infer<typeof DesignName>;

/** When a photo cannot be loaded: print a designed placeholder and report a warning, or fail the job. */
export const OnError = z.enum(['placeholder', 'fail']).default('placeholder');

/** Language of labels; texts of listings are never translated. */
export const PageLanguage = z.enum(['en', 'ar', 'both']).default('en');
export type PageLanguage = z.output<typeof PageLanguage>;

export const Strict = z
  .boolean()
  .default(false)
  .describe(
    'Rejects listings with errors that no advert in the Emirates may have, such as no permit number in Dubai, an expired permit, or a price of 0. Values that differ from the permit, which the job looks up in the listing portal, fail the job. `validateOnly` reports them, and warnings, without rejecting.',
  );

/** Found in the request, such as unknown fields of listings. */
export const RequestWarnings = z.array(Warning).optional();

/** For mail and chat services that limit the size of a file. */
export const MaxBytes = z
  .int('must be a whole number of bytes')
  .min(50_000, 'must be at least 50000')
  .max(1_000_000_000, 'must be at most 1000000000')
  .optional()
  .describe(
    'Maximum size of the PDF in bytes. Photo quality is reduced until the PDF fits; the result contains the reduced quality. A PDF that does not fit at the lowest quality is returned at that quality, with a warning.',
  );

export const TrackLinks = z
  .boolean()
  .default(false)
  .describe(
    'Prints each listing’s page on the brand’s site as a short link, in the new design with a QR code. `/apps/links/v1` reports its clicks and scans.',
  );

export const Quality = z
  .enum(['screen', 'print'])
  .default('screen')
  .describe(
    '`screen`: photos of 150 dpi on A4 pages, for screens and office printers. `print`: photos of 300 dpi, with up to four times the bytes, and 3 mm bleed around A4 with `TrimBox` and `BleedBox`, for printing houses.',
  );

export const CropMarks = z
  .boolean()
  .default(false)
  .describe('With `quality: print`: marks where to cut, outside the bleed, on sheets of 230 × 317 mm.');

export const Pages = z
  .enum(['fixed', 'auto'])
  .default('fixed')
  .describe(
    'In the new design: `fixed` prints each listing on two pages; `auto` on one when it has one photo or none, no location, and few words, unless `language` is `both`.',
  );
export type Pages = z.output<typeof Pages>;

export const Gallery = z
  .enum(['standard', 'full'])
  .default('standard')
  .describe(
    '`full`: up to two further pages with photos for a listing that has more than its other pages show: up to 40 photos in the new design, 36 in the classic one.',
  );
export type Gallery = z.output<typeof Gallery>;

const coverText = (max: number) => z.string().trim().max(max, `must have at most ${max} characters`).default('');

export const Cover = z
  .union(
    [
      z.boolean(),
      z.object({
        for: coverText(80).describe('Whom the brochure is prepared for.'),
        note: coverText(300).describe('A few sentences from the agent.'),
      }),
    ],
    { error: 'must be true, false, or an object with "for" (up to 80 characters) and "note" (up to 300)' },
  )
  .default(false)
  .describe(
    'A cover page with photo, agent, date, contents and page numbers. `true`: for a list of more than three listings. An object: for any list, with an addressee and a note.',
  );
export type Cover = z.output<typeof Cover>;

/** In pixels. */
export const cardSizes = {
  landscape: { width: 1_200, height: 630 },
  square: { width: 1_080, height: 1_080 },
  story: { width: 1_080, height: 1_920 },
} as const;
export const CardSize = z.enum(['landscape', 'square', 'story']);
export type CardSize = z.output<typeof CardSize>;

export const ListingFiles = z
  .object({
    pdf: z.boolean().default(false).describe('One brochure per listing.'),
    images: z
      .array(CardSize)
      .max(3)
      .default([])
      .describe(
        'Images of each listing for social networks and chats: `landscape` (1200 × 630 pixels), `square` (1080 × 1080), `story` (1080 × 1920).',
      ),
    format: z.enum(['jpeg', 'png']).default('jpeg').describe('Of the images.'),
  })
  .refine(({ pdf, images }) => pdf || images.length > 0, {
    message: 'must have "pdf": true or at least one of "images"',
  })
  .meta({ examples: [{ pdf: true, images: ['landscape', 'square'], format: 'jpeg' }] });
export type ListingFiles = z.output<typeof ListingFiles>;

/** Control characters, which end a header, and those that change the direction of the text that follows. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

const mailText = (max: number, isUnsafe: (text: string) => boolean) =>
  z
    .string()
    .trim()
    .max(max, `must have at most ${max} characters`)
    .refine(text => !isUnsafe(text), 'must not have control characters or direction overrides')
    .optional();

const MailAddress = z
  .email('must be an e-mail address, such as name@example.com')
  .max(254, 'must have at most 254 characters');

const maxRecipients = 10;

/** A mail with the result of the job. */
export const MailRequest = z.object({
  to: z
    .union([
      MailAddress,
      z
        .array(MailAddress)
        .min(1, 'must have at least 1 address')
        .max(maxRecipients, `must have at most ${maxRecipients} addresses`),
    ])
    .describe(`One address, or up to ${maxRecipients}. Each gets a mail of its own and does not see the others.`),
  subject: mailText(150, text => unsafe.test(text)).describe('Default: title of the listing, or number of listings.'),
  message: mailText(2_000, text => unsafe.test(text.replace(/[\r\n\t]/g, ''))).describe(
    'Plain text above the picture of the first page; line breaks are kept.',
  ),
  kind: z
    .enum(['transactional', 'marketing'], { error: 'must be transactional or marketing' })
    .default('transactional')
    .describe('Marketing needs `consent`, has a link that stops it, and is not sent to people who opted out.'),
  consent: Consent.optional().describe('Evidence that the recipients agreed to marketing.'),
});

/** The texts of a mail, for its preview. */
export const MailTexts = MailRequest.pick({ subject: true, message: true });

export const Deliver = z
  .object({ email: MailRequest.describe('Requires the scope `pdf:mail`.') })
  .optional()
  .describe(
    'Sends the result by e-mail when the job has succeeded: a picture of the first page, a link that expires with the result, and the file when it is small enough. `mail` of the job has its state.',
  );

/** Payload of the job that sends it. */
export const MailOrder = z.object({
  job: z.string().describe('The job with the result.'),
  mail: z.string().describe('SHA-256 of the stored recipients and texts.'),
  input: z.string().describe('SHA-256 of the stored listing list.'),
  /** The pages of `card` are images for sharing. */
  layout: z.enum([...DesignName.options, 'card']),
  language: PageLanguage,
  brand: z.string().optional(),
  cover: Cover,
  pages: Pages,
  gallery: Gallery,
  file: ResultFile.pick({ key: true, contentType: true, fileName: true, bytes: true }),
  expiresAt: z.iso.datetime().describe('End of the result’s retention, and of the link.'),
});
export type MailOrder = z.output<typeof MailOrder>;

export const ResultPart = z.object({
  name: z.string().describe('Last part of its address: `GET /jobs/{id}/result/files/{name}`.'),
  listing: z.int().describe('Position of the listing in the request, from 0.'),
  contentType: z.string().describe('Media type.'),
  bytes: z.int().describe('Size of the file.'),
  sha256: z.string().describe('SHA-256 of the file, hexadecimal.'),
  width: z.int().optional().describe('Of an image, in pixels.'),
  height: z.int().optional().describe('Of an image, in pixels.'),
  pages: z.int().optional().describe('Of a PDF.'),
});
export type ResultPart = z.output<typeof ResultPart>;

export const ReducedQuality = z.object({
  dpi: z.int().describe('Pixels per inch on paper; when not reduced, 150, or 300 with `quality: print`.'),
  quality: z.int().describe('JPEG quality, 1 to 100; when not reduced, 75, or 80 with `quality: print`.'),
});
export type ReducedQuality = z.output<typeof ReducedQuality>;

export default defineJob({
  kind: 'pdf',
  subject: 'brochures',
  summary: 'Prints listings as one PDF; a photo that cannot be loaded becomes a placeholder and a warning.',
  payload: z.object({
    design: DesignName,
    input: z.string().describe('SHA-256 of the stored listing list.'),
    listings: z.int().min(1),
    onError: OnError,
    strict: Strict,
    quality: Quality,
    cropMarks: CropMarks,
    pages: Pages,
    gallery: Gallery,
    maxBytes: MaxBytes,
    trackLinks: TrackLinks,
    cover: Cover,
    language: PageLanguage,
    brand: z.string().optional().describe('Name of an additional brand; absent: the default brand.'),
    files: ListingFiles.optional().describe('Absent: one PDF of all listings.'),
    mail: MailOrder.shape.mail.optional().describe('SHA-256 of the stored recipients and texts; absent: no mail.'),
    warnings: RequestWarnings,
  }),
  result: z
    .object({
      design: DesignName.describe('The design.'),
      listings: z.int().describe('Number of listings.'),
      pages: z.int().describe('Number of pages.'),
      bytes: z.int().describe('Size of the file.'),
      sha256: z.string().describe('SHA-256 of the file, hexadecimal.'),
      fileName: z.string().describe('Suggested name of the file.'),
      files: z
        .array(ResultPart)
        .optional()
        .describe('Of a ZIP: the files in it, which can also be downloaded one by one.'),
      photos: z
        .object({
          printed: z.int().describe('Photos that were printed.'),
          missing: z.int().describe('Photos that could not be loaded.'),
          traded: ReducedQuality.optional().describe(
            'The reduced photo quality when `maxBytes` required it; absent otherwise.',
          ),
        })
        .describe('The photos of the listings.'),
    })
    .meta({
      examples: [
        {
          design: 'new',
          listings: 1,
          pages: 2,
          bytes: 412_887,
          sha256: '6f0c9b1d5e8a4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3',
          fileName: 'brochure-MP-S-2041.pdf',
          photos: { printed: 9, missing: 0 },
        },
      ],
    }),
  attempts: 4,
  backoffMs: 500,
  timeoutMs: 5 * 60_000,
  concurrency: 2,
  hasFile: true,
});
