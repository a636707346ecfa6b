/**
 * The registry of numbers that must not receive marketing calls or messages. It is the regulator's (TDRA) and has no
 * public API document: the call is our assumption; the answer has the form that public front-end code of the registry
 * reads.
 */
import { z } from 'zod';
import { httpUrl, wholeNumber } from '../../runtime/config.ts';
import { toEmiratiNational } from '../../values/phone-number.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import { goodRows, rowsIn } from '../kit/read-rows.ts';

export const DncRegistryConfig = z.object({
  DNC_URL: httpUrl.optional().describe('The do-not-call registry; unset: not configured.'),
  DNC_API_KEY: z.string().default('').describe('API key of the do-not-call registry.'),
  DNC_CACHE_HOURS: wholeNumber(1, 720)
    .default(24)
    .describe('How long an answer of the do-not-call registry is cached.'),
});

const system = { name: 'dnc-registry', title: 'The do-not-call registry' };

/** In the form of Emirati mobile numbers; its subscriber number is not assigned. */
const unassignedNumber = '+971500000000';
const numbersPerCall = 100;

export default defineSystem({
  ...system,
  config: DncRegistryConfig,
  configuredBy: 'DNC_URL',
  sandboxName: 'telephony',
  sandbox: base => ({ DNC_URL: base, DNC_API_KEY: 'sandbox' }),
  open: openDncRegistry,
  async probe(registry) {
    const { failures } = await registry.check([unassignedNumber]);
    if (failures.length > 0) throw failures[0];
  },
});

export type DncAnswer = 'listed' | 'clear' | 'unknown';

export type DncRegistry = ReturnType<typeof openDncRegistry>;

function openDncRegistry(config: z.infer<typeof DncRegistryConfig>, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.DNC_URL ?? '',
    headers: () => ({ 'x-api-key': config.DNC_API_KEY }),
  });

  async function checkChunk(numbers: readonly string[]): Promise<[string, DncAnswer][]> {
    const national = new Map(numbers.map(number => [toEmiratiNational(number) ?? number, number]));
    const answers = await http.call({
      class: 'read',
      method: 'POST',
      path: '/dncr/query',
      json: { accountNumbers: [...national.keys()] },
      answer: Answer,
    });
    return goodRows(answers).flatMap(answer => {
      const number = national.get(answer.accountNumber);
      return number === undefined ? [] : [[number, readStatus(answer)] satisfies [string, DncAnswer]];
    });
  }

  return {
    config,
    /** Who answers; stored with each check. */
    source: tools.sandbox ? ('sandbox' as const) : ('registry' as const),

    /**
     * @param numbers Emirati numbers in E.164
     * @returns the registry's answers, and the errors of failed calls
     */
    async check(numbers: readonly string[]): Promise<{ answers: Map<string, DncAnswer>; failures: unknown[] }> {
      const chunks = Array.from({ length: Math.ceil(numbers.length / numbersPerCall) }, (_, chunk) =>
        numbers.slice(chunk * numbersPerCall, (chunk + 1) * numbersPerCall),
      );
      const results = await Promise.allSettled(chunks.map(checkChunk));
      return {
        answers: new Map(results.flatMap(result => (result.status === 'fulfilled' ? result.value : []))),
        failures: results.flatMap(result => (result.status === 'rejected' ? [result.reason] : [])),
      };
    },
  };
}

const Row = z.object({
  accountNumber: z.string(),
  dncrStatus: z.enum(['TRUE', 'FALSE']).nullish(),
  transactionStatus: z.string().nullish(),
});
/** A number is personal data: rows are reported without it. A number without a row has the status unknown. */
const Answer = rowsIn({ system, record: 'answer', id: () => undefined }, Row);

/** A transaction status reports a failed check, whatever the DNC status says. */
function readStatus({ dncrStatus, transactionStatus }: z.infer<typeof Row>): DncAnswer {
  if (transactionStatus) return 'unknown';
  if (dncrStatus === 'FALSE') return 'clear';
  return dncrStatus === 'TRUE' ? 'listed' : 'unknown';
}
