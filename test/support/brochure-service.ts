/** The service with workers for brochures and previews, a photo server, and a client with the scope `pdf`. */
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll } from 'vitest';
import { readConfig } from '../../core/runtime/config.ts';
import pdfJob from '../../workers/pdf/contract.ts';
import pdfHandler from '../../workers/pdf/handler.ts';
import mailJob from '../../workers/pdf-mail/contract.ts';
import mailHandler from '../../workers/pdf-mail/handler.ts';
import previewJob from '../../workers/pdf-preview/contract.ts';
import previewHandler from '../../workers/pdf-preview/handler.ts';
import type { ApiClient } from './api-client.ts';
import { type PhotoServer, startPhotoServer } from './photo-server.ts';
import { cacheFolder } from './printing.ts';
import { startTestService, type TestService } from './test-service.ts';

export interface BrochureService {
  service: TestService;
  client: ApiClient;
  photos: PhotoServer;
  close(): Promise<void>;
}

/**
 * @param photo the response for every photo; default: a plain colour for each
 * @param receiver host and port that may receive callbacks
 * @param env further settings of the API, and of the mails; without SMTP_URL no worker sends mail
 */
export async function startBrochureService(
  name: string,
  photo?: Buffer,
  receiver?: string,
  env: Record<string, string> = {},
): Promise<BrochureService> {
  const photos = await startPhotoServer(photo);
  const EGRESS_ALLOW = [`127.0.0.1:${photos.port}`, receiver ?? ''].join(',');
  const service = await startTestService(name, {
    contracts: new Map<string, typeof pdfJob | typeof previewJob | typeof mailJob>([
      ['pdf', pdfJob],
      ['pdf-mail', mailJob],
      ['pdf-preview', previewJob],
    ]),
    env: { MAX_WAIT_SECONDS: '150', EGRESS_ALLOW, ...env },
  });
  mkdirSync(cacheFolder, { recursive: true });
  symlinkSync(cacheFolder, path.join(service.dataFolder, 'browser'));
  const config = readConfig(pdfHandler.config, { ...process.env, EGRESS_ALLOW });
  const mailConfig = readConfig(mailHandler.config, { ...process.env, EGRESS_ALLOW, ...env });
  service.startWorker([
    ...(env.SMTP_URL ? [{ contract: mailJob, handler: await mailHandler.open(mailConfig, service) }] : []),
    { contract: pdfJob, handler: await pdfHandler.open(config, service) },
    { contract: previewJob, handler: await previewHandler.open(config, service) },
  ]);
  return {
    service,
    client: await service.client(['pdf']),
    photos,
    async close() {
      await service.close();
      await photos.close();
    },
  };
}

/** Opens it for the tests of a file. */
export async function useBrochureService(...given: Parameters<typeof startBrochureService>): Promise<BrochureService> {
  const started = await startBrochureService(...given);
  afterAll(started.close);
  return started;
}
