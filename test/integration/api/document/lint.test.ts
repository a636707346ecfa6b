/** The API document passes the recommended rules of Redocly and Spectral. They take seconds of CPU time. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';
import { apiDocument } from '../../../../api/document/api-document.ts';
import { loadOperations } from '../../../../api/http/load-operations.ts';
import { discoverContracts } from '../../../../core/jobs/discover.ts';

const contracts = [...(await discoverContracts()).values()];
const address = { basePath: '/v2', publicUrl: 'https://portal.example' };
const document = apiDocument(await loadOperations(), contracts, address);

it('passes the rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: JSON.stringify(document), config });
  expect(found.map(({ ruleId, location: [place] }) => `${ruleId} ${place?.pointer}`)).toEqual([
    // A redirect has no answer with a status from 200 to 299.
    'operation-2xx-response #/paths/~1v2~1r~1{slug}/get/responses',
  ]);
});

it('passes the rules of Spectral', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset(new spectral.Ruleset({ extends: [rulesets.oas] }));
  const found = await linter.run(withEqualBodiesOnce());
  expect(found.map(({ code, path }) => `${code} ${path.join('/')}`)).toEqual([]);
});

/**
 * Spectral checks a shared response again for each operation that has it, and the examples of a body for each body like it, which
 * takes longer than everything else.
 */
function withEqualBodiesOnce(): Record<string, unknown> {
  const seen = new Set<string>();
  return JSON.parse(
    JSON.stringify(document, (key, value) => {
      const isShared = /^#\/components\/responses\//.test(value?.$ref);
      const isBody = /^[a-z]+\/[a-z]/.test(key) && value?.schema !== undefined;
      if (!isShared && !isBody) return value;
      const text = JSON.stringify(value);
      if (seen.has(text)) return undefined;
      seen.add(text);
      return value;
    }),
  );
}
