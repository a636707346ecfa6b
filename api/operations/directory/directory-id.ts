/** An id of the identity directory in requests. */
import { z } from 'zod';

const idError = 'must be an id of the directory: 24 hexadecimal digits';

export const DirectoryId = z
  .string(idError)
  .regex(/^[0-9a-fA-F]{24}$/, idError)
  .toLowerCase()
  .meta({ examples: ['5f00efc2966f0faecc3be694'] });
