/** Pictures a page with what brochures are printed with: the same photos, words and fonts, in a browser that draws frames. */
import { defineHandler } from '../../core/jobs/handler.ts';
import { takeWorkshop, WorkshopConfig } from '../pdf/workshop.ts';
import type { WorkerServices } from '../services.ts';
import contract from './contract.ts';
import { picturePage } from './picture-page.ts';

export default defineHandler({
  job: contract,
  config: WorkshopConfig,
  async open(config, services: WorkerServices) {
    const workshop = await takeWorkshop(config, services);
    return {
      handle: (payload, context) => picturePage(payload, context, { ...services, ...workshop }),
      close: () => workshop.close(),
    };
  },
});
