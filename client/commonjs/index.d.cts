/** Types for CommonJS: TypeScript before 5.8 does not let it import the types of ES modules without a resolution mode. */
import type * as client from '../dist/index.js' with { 'resolution-mode': 'import' };

export type * from '../dist/index.js' with { 'resolution-mode': 'import' };

export declare const createPortalClient: typeof client.createPortalClient;
export declare const dataOf: typeof client.dataOf;
export declare const isAtRest: typeof client.isAtRest;
export declare const isProblemOf: typeof client.isProblemOf;
export declare const jobOf: typeof client.jobOf;
export declare const verifyCallback: typeof client.verifyCallback;

export declare class DamagedDownload extends client.DamagedDownload {}
export declare class InvalidCallback extends client.InvalidCallback {}
export declare class InvalidOption extends client.InvalidOption {}
export declare class PortalConnectionError extends client.PortalConnectionError {}
export declare class PortalError extends client.PortalError {}
export declare class PortalProblem extends client.PortalProblem {}
export declare class PortalTimeoutError extends client.PortalTimeoutError {}
export declare class UnexpectedAnswer extends client.UnexpectedAnswer {}
