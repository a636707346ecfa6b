/** Public pages about the types of problem documents: `/problems` and `/problems/<code>`. */
import type { FastifyInstance } from 'fastify';
import { errorKinds, ServiceError } from '../../core/runtime/errors.ts';
import { openPage } from '../http/html-page.ts';
import { explanations } from '../http/problem-catalogue.ts';
import type { ApiServices } from '../services.ts';

const problems = Object.entries(explanations).map(([code, { meaning, remedy }]) => ({
  code,
  ...errorKinds.get(code),
  meaning: wordsOf(meaning),
  remedy: wordsOf(remedy),
}));

export async function mountProblemPages(app: FastifyInstance, { config, address }: ApiServices): Promise<void> {
  const page = await openPage('problems/page.hbs', 'links/styles.css');
  const base = { list: `${config.BASE_PATH}/problems`, docs: `${config.BASE_PATH}/docs` };
  const schema = { hide: true };
  app.get(base.list, { schema, config: { scope: null } }, async (_, reply) => {
    const { status, headers, body } = page.answer(200, { ...base, title: 'Problem types', problems });
    return reply
      .code(status)
      .headers(headers ?? {})
      .send(body);
  });
  app.get<{ Params: { code: string } }>(
    `${base.list}/:code`,
    { schema, config: { scope: null } },
    async ({ params }, reply) => {
      const problem = problems.find(({ code }) => code === params.code);
      if (!problem)
        throw new ServiceError(
          'not-found',
          `There is no problem type ${params.code}; ${address.url}/problems lists all.`,
        );
      const { status, headers, body } = page.answer(200, {
        ...base,
        title: problem.title,
        problem,
        type: `${address.url}/problems/${problem.code}`,
      });
      return reply
        .code(status)
        .headers(headers ?? {})
        .send(body);
    },
  );
}

/** The parts of a text in backquotes are code. */
function wordsOf(text: string): { text: string; isCode: boolean }[] {
  return text.split('`').map((part, index) => ({ text: part, isCode: index % 2 === 1 }));
}
