/** Typed client of Portal Service, for Node.js, browsers and edge runtimes. */
export type { ClientCredentials, TokenSource } from './access-token.ts';
export { type ApiAnswer, dataOf, jobOf } from './call.ts';
export {
  type Callback,
  type CallbackHeaders,
  type CallbackOptions,
  InvalidCallback,
  verifyCallback,
} from './callback.ts';
export type { RetryJobOptions } from './control-job.ts';
export { DamagedDownload, type Download } from './download.ts';
export type { DownloadOptions } from './download-result.ts';
export {
  InvalidOption,
  PortalConnectionError,
  PortalError,
  PortalTimeoutError,
  UnexpectedAnswer,
} from './errors.ts';
export { isAtRest, type Job, type JobKind, type JobRef, type JobResults } from './job.ts';
export type { JobEvent } from './job-events.ts';
export type { Methods } from './method-types.ts';
export type { Page, Pages } from './pages.ts';
export { createPortalClient, type PortalClient, type PortalClientOptions } from './portal-client.ts';
export {
  type Fault,
  isProblemOf,
  type OperationId,
  PortalProblem,
  type Problem,
  type ProblemCode,
  type ProblemOf,
} from './portal-problem.ts';
export type { PreviewOptions } from './preview.ts';
export type { PortalApi } from './raw-api.ts';
export type { components, operations } from './schema.ts';
export type { PdfListing, PdfOptions } from './submit-pdf.ts';
export type { CallOptions, MethodOptions } from './transport.ts';
export type { WaitOptions } from './wait-for-job.ts';
