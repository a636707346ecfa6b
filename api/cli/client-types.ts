/** `npm run client:types`: writes the client's types. */
import path from 'node:path';
import { rootFolder } from '../../core/runtime/discover.ts';
import { writeClientTypes } from '../document/client-types.ts';

await writeClientTypes(path.join(rootFolder, 'client/src/schema.ts'));
