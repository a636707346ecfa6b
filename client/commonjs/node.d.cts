/** Types for CommonJS of the part for Node.js. */
import type * as node from '../dist/node.js' with { 'resolution-mode': 'import' };

export declare const saveTo: typeof node.saveTo;
