/** Bull Board in a browser: login, queues, a finished job. */
import type { Browser, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedBrowser } from '../../../support/shared-browser.ts';
import { backends, useService } from '../../../support/test-service.ts';
import { openTrials, trialContracts, trialJob } from '../../../support/trial-jobs.ts';

const [username, password] = ['ops', 'a password of the operators'];
const path = '/v2/ops/queues';

describe.each(backends)('Bull Board in a browser, queues on %s', backend => {
  const service = useService(`board-in-browser-${backend}`, () => ({
    backend,
    contracts: trialContracts,
    env: { OPS_USER: username, OPS_PASSWORD: password },
  }));
  let browser: Browser;
  let jobId: string;

  beforeAll(async () => {
    const trials = openTrials();
    service.startWorker(trials.servedKinds);
    const job = await service.jobs.submit(trialJob, { clientId: 'a', payload: { name: 'seen in the browser' } });
    jobId = job.id;
    browser = await sharedBrowser();
  });

  /** Opens a page and collects its errors. */
  async function open(
    login: boolean,
    target = path,
  ): Promise<{ page: Page; status: number | undefined; errors: string[] }> {
    const context = await browser.newContext(login ? { httpCredentials: { username, password } } : {});
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', error => errors.push(error.message));
    page.on('response', answer => {
      if (answer.status() >= 400 && answer.status() !== 401) errors.push(`${answer.status()} ${answer.url()}`);
    });
    const answer = await page.goto(service.origin + target);
    return { page, status: answer?.status(), errors };
  }

  it('shows all queues, and a finished job with its link but without its data, after login', async () => {
    const message = await service.queues.queue(trialJob).getJob(jobId);
    await expect.poll(() => message?.getState()).toBe('completed');
    const { page, status, errors } = await open(true);
    expect(status).toBe(200);
    for (const kind of trialContracts.keys()) await page.getByRole('link', { name: kind }).first().waitFor();

    await page.goto(`${service.origin}${path}/queue/trial?status=completed`);
    await page.getByText(jobId).first().waitFor();
    await page.goto(`${service.origin}${path}/queue/trial/${jobId}`);
    await page.getByText('text, 19 characters').first().waitFor();
    expect(await page.content()).not.toContain('seen in the browser');
    expect(await page.getByRole('link', { name: 'Job page' }).getAttribute('href')).toBe(`/v2/ops/jobs/${jobId}`);
    // The board is read-only.
    expect(await page.getByRole('button', { name: /retry|remove|clean/i }).count()).toBe(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
