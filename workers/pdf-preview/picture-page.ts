/** The way of one preview from the stored listing to the stored PNG. */
import type { z } from 'zod';
import type { JobContext, JobSuccess } from '../../core/jobs/handler.ts';
import { composePhotos } from '../pdf/compose-photos.ts';
import { gatherPhotos } from '../pdf/gather-photos.ts';
import { readListings } from '../pdf/read-listings.ts';
import type { Workshop } from '../pdf/workshop.ts';
import type { WorkerServices } from '../services.ts';
import type contract from './contract.ts';

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;
type Parts = Workshop & Pick<WorkerServices, 'inputs' | 'results'>;

const contentType = 'image/png';

export async function picturePage(
  payload: Payload,
  context: JobContext,
  parts: Parts,
): Promise<JobSuccess<Result>> {
  const { design: name, page, dpi } = payload;
  const design = await parts.chooseDesign({ ...payload, cover: false });
  const listings = await readListings(payload.input, parts.inputs);
  const gathered = await gatherPhotos(listings, design, parts.photos, context);
  for (const { pointer, detail } of gathered.faults) context.warn({ pointer, detail });

  const composed = await composePhotos(listings, gathered.listings, design, parts.photos, context);
  const document = {
    html: design.html(composed.prepared),
    assets: new Map([...design.assets, ...composed.assets]),
    signal: context.signal,
  };
  context.progress('picturing', 0, 1, 70);
  const png = await parts.printer.picture(document, { selector: '[data-listing]', page, dpi });

  const key = `pdf-preview/${context.jobId}.png`;
  const { size: bytes, sha256 } = await parts.results.put(key, png, { contentType });
  const fileName = `page-${page}.png`;
  return {
    result: { design: name, page, dpi, ...sizeOfPng(png), bytes, sha256 },
    file: { key, contentType, fileName, bytes, sha256 },
  };
}

/** Stands in the file's first chunk (ISO/IEC 15948, 11.2.2). */
const sizeOfPng = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });
