/** Prints the request as an ordinary job and saves its PDF. */
import { isObject } from './dom.js';

/** @typedef {{ id: string, state: string, percent: number, result: Record<string, unknown>, problem: string, warnings: { pointer: string, detail: string }[] }} PrintJob */

export const designPaths = { classic: '/apps/portal/v1/pdf', new: '/apps/portal/v1/pdf-new' };

const pollMs = 400;
const openStates = ['queued', 'scheduled', 'running'];

/** @param {unknown} resource @returns {PrintJob} */
export function jobOf(resource) {
  const { id, state, progress, result, error, warnings } = isObject(resource) ? resource : {};
  return {
    id: String(id),
    state: String(state),
    percent: isObject(progress) && typeof progress.percent === 'number' ? progress.percent : 0,
    result: isObject(result) ? result : {},
    problem: isObject(error) ? String(error.detail ?? error.title) : '',
    warnings: Array.isArray(warnings) ? warnings : [],
  };
}

/**
 * @param {import('./api.js').Api} api
 * @param {import('./preview.js').Design} design
 * @param {unknown} body
 * @param {(job: PrintJob) => void} onProgress
 * @returns {Promise<PrintJob>} ended
 */
export async function print(api, design, body, onProgress) {
  const accepted = await api.call(designPaths[design], { method: 'POST', body, headers: { prefer: 'wait=1' } });
  let job = jobOf(await accepted.json());
  while (openStates.includes(job.state)) {
    onProgress(job);
    await new Promise(resolve => setTimeout(resolve, pollMs));
    job = jobOf(await (await api.call(`/jobs/${job.id}`)).json());
  }
  return job;
}

/** @param {import('./api.js').Api} api @param {PrintJob} job @returns the name of the file */
export async function save(api, { id, result }) {
  const answer = await api.call(`/jobs/${id}/result`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = String(result.fileName ?? 'brochure.pdf');
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return link.download;
}
