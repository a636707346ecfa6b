/** Prints listings as one PDF: classic one A4 page a listing, new exactly two, whatever the content. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/define-job.ts';

export const DesignName = z.enum(['classic', 'new']);
export type DesignName = z.infer<typeof DesignName>;

/** What to do about a photo that cannot be had: a designed placeholder and a warning, or no PDF. */
export const OnError = z.enum(['placeholder', 'fail']).default('placeholder');

/** The language of the pages' own words; a listing's text stays as it was written. */
export const PageLanguage = z.enum(['en', 'ar', 'both']).default('en');
export type PageLanguage = z.output<typeof PageLanguage>;

export default defineJob({
  kind: 'pdf',
  summary: 'Prints listings as one PDF; a photo that cannot be had becomes a placeholder and a warning.',
  payload: z.object({
    design: DesignName,
    input: z.string().describe('SHA-256 of the stored listing list.'),
    listings: z.int().min(1),
    onError: OnError,
    cover: z.boolean().default(false),
    language: PageLanguage,
    brand: z.string().optional().describe('Name of one of the further brands; none: the house’s own.'),
  }),
  result: z.object({
    design: DesignName,
    listings: z.int(),
    pages: z.int(),
    bytes: z.int(),
    sha256: z.string(),
    fileName: z.string(),
    photos: z.object({ printed: z.int(), missing: z.int() }),
  }),
  attempts: 4,
  backoffMs: 500,
  timeoutMs: 5 * 60_000,
  concurrency: 2,
  // Of a fleet of workers one client takes a part only, however long its prints are.
  perClientConcurrency: 8,
});
