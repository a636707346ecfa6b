/** What a person may do on the operations pages. */
import { z } from 'zod';
import { ServiceError } from '../../core/runtime/errors.ts';

/** Viewers see the pages and use the studio; operators also carry out actions. */
export const OperatorRole = z.enum(['viewer', 'operator']);
export type OperatorRole = z.infer<typeof OperatorRole>;

/** @throws ServiceError forbidden for viewers */
export function requireOperatorRole({ role }: { role: OperatorRole }): void {
  if (role === 'operator') return;
  throw new ServiceError(
    'forbidden',
    'You signed in as a viewer: you see these pages, but only operators act on them.',
  );
}
