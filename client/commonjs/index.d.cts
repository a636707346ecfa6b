/** Types for CommonJS: TypeScript before 5.8 does not let it import the types of ES modules without a resolution mode. */
import type * as client from '../dist/index.js' with { 'resolution-mode': 'import' };

export type * from '../dist/index.js' with { 'resolution-mode': 'import' };

export declare const createPortalClient: typeof client.createPortalClient;
export declare const dataOf: typeof client.dataOf;
export declare const isAtRest: typeof client.isAtRest;
export declare const isProblemOf: typeof client.isProblemOf;
export declare const jobOf: typeof client.jobOf;
export declare const verifyCallback: typeof client.verifyCallback;

export declare const DamagedDownload: typeof client.DamagedDownload;
export type DamagedDownload = client.DamagedDownload;
export declare const InvalidCallback: typeof client.InvalidCallback;
export type InvalidCallback = client.InvalidCallback;
export declare const InvalidOption: typeof client.InvalidOption;
export type InvalidOption = client.InvalidOption;
export declare const PortalConnectionError: typeof client.PortalConnectionError;
export type PortalConnectionError = client.PortalConnectionError;
export declare const PortalError: typeof client.PortalError;
export type PortalError = client.PortalError;
export declare const PortalProblem: typeof client.PortalProblem;
export type PortalProblem = client.PortalProblem;
export declare const PortalTimeoutError: typeof client.PortalTimeoutError;
export type PortalTimeoutError = client.PortalTimeoutError;
export declare const UnexpectedAnswer: typeof client.UnexpectedAnswer;
export type UnexpectedAnswer = client.UnexpectedAnswer;
