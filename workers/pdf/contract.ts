/** Prints listings as one PDF: classic one A4 page a listing, new exactly two, whatever the content. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';

export const DesignName = z.enum(['classic', 'new']);
export type DesignName = z.infer<typeof DesignName>;

/** What to do about a photo that cannot be had: a designed placeholder and a warning, or no PDF. */
export const OnError = z.enum(['placeholder', 'fail']).default('placeholder');

/** The language of the pages' own words; a listing's text stays as it was written. */
export const PageLanguage = z.enum(['en', 'ar', 'both']).default('en');
export type PageLanguage = z.output<typeof PageLanguage>;

/** Whether a request whose listings have errors is refused: those no advert may have, such as a missing permit. */
export const Strict = z
  .boolean()
  .default(false)
  .describe(
    'Refuses listings with errors that no advert in the Emirates may have, such as no permit number in Dubai or a price of 0; `validateOnly` tells them, and what is doubtful, without refusing.',
  );

/** The largest PDF that will do, such as what a mail or a chat takes; photos give way for it. */
export const MaxBytes = z
  .int('must be a whole number of bytes')
  .min(50_000, 'must be at least 50000')
  .max(1_000_000_000, 'must be at most 1000000000')
  .optional()
  .describe(
    'The most bytes the PDF may have: its photos are stored smaller until it fits, and the result says how much smaller. One that cannot be made to fit is as small as it gets, with a warning.',
  );

/** Whether clicks and scans are counted. */
export const TrackLinks = z
  .boolean()
  .default(false)
  .describe(
    'Each listing’s page on the brand’s site is printed as a short link of its own, in the new design with a QR code; its clicks and scans are told under `/apps/links/v1`.',
  );

export const PhotoTrade = z.object({
  dpi: z.int().describe('Pixels to an inch on paper; 150 when nothing is traded.'),
  quality: z.int().describe('JPEG quality, 1 to 100; 75 when nothing is traded.'),
});
export type PhotoTrade = z.output<typeof PhotoTrade>;

export default defineJob({
  kind: 'pdf',
  subject: 'brochures',
  summary: 'Prints listings as one PDF; a photo that cannot be had becomes a placeholder and a warning.',
  payload: z.object({
    design: DesignName,
    input: z.string().describe('SHA-256 of the stored listing list.'),
    listings: z.int().min(1),
    onError: OnError,
    maxBytes: MaxBytes,
    trackLinks: TrackLinks,
    cover: z.boolean().default(false),
    language: PageLanguage,
    brand: z.string().optional().describe('Name of one of the further brands; none: the house’s own.'),
  }),
  result: z
    .object({
      design: DesignName,
      listings: z.int(),
      pages: z.int(),
      bytes: z.int(),
      sha256: z.string(),
      fileName: z.string(),
      photos: z.object({
        printed: z.int(),
        missing: z.int(),
        traded: PhotoTrade.optional().describe('What the photos gave for `maxBytes`; absent when nothing.'),
      }),
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
  reusable: true,
  // Of a fleet of workers one client takes a part only, however long its prints are.
  perClientConcurrency: 8,
});
