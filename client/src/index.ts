/** Typed client of Portal Service, for Node.js, browsers and edge runtimes. */
export { type ApiAnswer, dataOf, jobOf } from './call.ts';
export {
  type Callback,
  type CallbackHeaders,
  type CallbackOptions,
  InvalidCallback,
  verifyCallback,
} from './callback.ts';
export type { ControlOptions, RetryJobOptions } from './control-job.ts';
export { DamagedDownload, type Download, type DownloadOptions } from './download.ts';
export type { ItemOf, ListInit, ListPath } from './items.ts';
export { isAtRest, type Job, type JobKind, type JobRef, type JobResults } from './job.ts';
export { createPortalClient, type PortalClient, type PortalClientOptions } from './portal-client.ts';
export { type Fault, PortalProblem, type Problem } from './portal-problem.ts';
export type { PreviewOptions } from './preview.ts';
export type { components, operations, paths } from './schema.ts';
export type { PdfListing, PdfOptions } from './submit-pdf.ts';
export type { WaitOptions } from './wait-for-job.ts';
