/**
 * The do-not-call registry with our verb. The registry is the regulator's (TDRA) and has no public API document: the
 * call is our assumption, the answer for a number is shaped as public front-end code of the registry reads it.
 */
import { z } from 'zod';
import { toEmiratiNational } from '../../values/phone-number.ts';
import type { SystemTools } from '../kit/context.ts';
import type { DncRegistryConfig } from './config.ts';

const numbersPerCall = 100;

const Answer = z.array(
  z.object({
    accountNumber: z.string(),
    dncrStatus: z.enum(['TRUE', 'FALSE']).nullish(),
    transactionStatus: z.string().nullish(),
  }),
);

export type DncAnswer = 'listed' | 'clear' | 'unknown';

export type DncRegistry = ReturnType<typeof openDncRegistry>;

export function openDncRegistry(config: DncRegistryConfig, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.DNC_URL ?? '',
    headers: () => ({ 'x-api-key': config.DNC_API_KEY }),
  });

  async function askSome(numbers: readonly string[]): Promise<[string, DncAnswer][]> {
    const national = new Map(numbers.map(number => [toEmiratiNational(number) ?? number, number]));
    const answers = await http.call({
      class: 'read',
      method: 'POST',
      path: '/dncr/query',
      json: { accountNumbers: [...national.keys()] },
      answer: Answer,
    });
    return answers.flatMap(answer => {
      const number = national.get(answer.accountNumber);
      return number === undefined ? [] : [[number, readStatus(answer)] satisfies [string, DncAnswer]];
    });
  }

  return {
    config,
    /** Who answers, as it is noted with each check. */
    source: tools.sandbox ? ('sandbox' as const) : ('registry' as const),

    /**
     * @param numbers E.164, of the Emirates
     * @returns an answer for each number that the registry spoke of; calls that failed are in `failures`
     */
    async ask(numbers: readonly string[]): Promise<{ answers: Map<string, DncAnswer>; failures: unknown[] }> {
      const calls = inPieces(numbers, numbersPerCall).map(askSome);
      const results = await Promise.allSettled(calls);
      return {
        answers: new Map(results.flatMap(result => (result.status === 'fulfilled' ? result.value : []))),
        failures: results.flatMap(result => (result.status === 'rejected' ? [result.reason] : [])),
      };
    },
  };
}

/** A check that did not come to its end says nothing, whatever it says. */
function readStatus({ dncrStatus, transactionStatus }: z.infer<typeof Answer>[number]): DncAnswer {
  if (transactionStatus) return 'unknown';
  if (dncrStatus === 'FALSE') return 'clear';
  return dncrStatus === 'TRUE' ? 'listed' : 'unknown';
}

const inPieces = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, piece) =>
    list.slice(piece * size, (piece + 1) * size),
  );
