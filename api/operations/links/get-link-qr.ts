import { z } from 'zod';
import { linkKinds, scanUrl } from '../../../core/domain/links/link.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { queryNumber } from '../../http/input-fields.ts';
import { defineOperation } from '../../http/operation.ts';

const kinds = Object.values(linkKinds);

/** Error correction M reads well on paper; ISO/IEC 18004 requires a margin of four modules. */
const style = { errorCorrectionLevel: 'M', margin: 4 } as const;

export default defineOperation({
  summary: 'Get the QR code of a link, as SVG or PNG. Opening it is counted as a scan.',
  id: 'links.getQr',
  route: 'GET /apps/links/v1/{kind}/{id}/qr',
  scope: 'links:read',
  request: {
    params: z.object({
      kind: z
        .enum(kinds, `must be ${kinds.join(', ')}`)
        .describe('`projects`, `campaigns`, `sms`, `brochures` or `mails`.'),
      id: z
        .string()
        .describe('The link’s id.')
        .meta({ examples: ['0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20'] }),
    }),
    query: z.object({
      format: z.enum(['svg', 'png']).default('svg').describe('Of the image.'),
      size: queryNumber(64, 2_000).default(512).describe('Width and height in pixels, 64 to 2000.'),
    }),
  },
  answers: {
    200: {
      description: 'The image.',
      contentType: 'image/svg+xml',
      orContentType: 'image/png',
      headers: ['Content-Disposition'],
    },
  },
  async handle({ params, query: { format, size } }, { services }) {
    const id = z.uuid().safeParse(params.id).data;
    const link = id === undefined ? undefined : await services.links.find(id);
    if (!link || linkKinds[link.kind] !== params.kind) {
      throw new ServiceError('not-found', `There is no link with the id ${params.id} under ${params.kind}.`);
    }
    const url = scanUrl(link.shortUrl);
    const { default: QRCode } = await import('qrcode');
    const isPng = format === 'png';
    return {
      status: 200,
      headers: {
        'content-type': isPng ? 'image/png' : 'image/svg+xml',
        'content-disposition': `inline; filename="${link.slug}.${format}"`,
        'cache-control': 'private, max-age=86400',
      },
      body: isPng
        ? await QRCode.toBuffer(url, { ...style, type: 'png', width: size })
        : Buffer.from(await QRCode.toString(url, { ...style, type: 'svg', width: size })),
    };
  },
});
