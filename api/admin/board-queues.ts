/** The queues as Bull Board shows them: grouped by subject, each job leading to its page, and nothing of its payload. */
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { JobContract } from '../../core/jobs/contract.ts';
import type { ApiServices } from '../services.ts';

/** Bull Board makes groups of what comes before it. */
const delimiter = '.';
const prefixOf = ({ subject }: JobContract): string => (subject === undefined ? '' : subject + delimiter);

/** A queue's name there. */
export const queueOnBoard = (contract: JobContract): string => prefixOf(contract) + contract.kind;

export function boardQueues({
  config,
  contracts,
  queues,
}: Pick<ApiServices, 'config' | 'contracts' | 'queues'>): BullMQAdapter[] {
  return [...contracts.values()].map(contract => {
    const queue = new BullMQAdapter(queues.boardQueue(contract), {
      readOnlyMode: !config.OPS_BOARD_WRITABLE,
      prefix: prefixOf(contract),
      delimiter,
      description: contract.summary,
      externalJobUrl: ({ id }) => ({ href: `${config.BASE_PATH}/ops/jobs/${id}`, displayText: 'Job page' }),
    });
    queue.setFormatter('data', outlineOf);
    queue.setFormatter('returnValue', outlineOf);
    queue.setFormatter('progress', outlineOf);
    return queue;
  });
}

/** An id or a hash says nothing of a person, and finds the rest where it may be read. */
const isReference = (text: string): boolean =>
  /^[0-9a-f]{64}$/.test(text) || /^([a-z][a-z-]*_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** What a value is and how large: payloads hold names, phone numbers and addresses of persons. */
function outlineOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return sizeOf(value);
  if (Array.isArray(value)) return sizeOf(value);
  return Object.fromEntries(Object.entries(value).map(([field, held]) => [field, sizeOf(held)]));
}

function sizeOf(value: unknown): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  if (typeof value === 'string') return isReference(value) ? value : `text, ${value.length} characters`;
  if (typeof value === 'number') return 'number';
  if (Array.isArray(value)) return `list, ${value.length} items`;
  return `object, ${Object.keys(value).length} fields`;
}
