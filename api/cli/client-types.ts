/** `npm run client:types`: writes the client's types. */
import { writeClientTypes } from '../document/client-types.ts';

await writeClientTypes();
