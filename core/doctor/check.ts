/**
 * A look at one part of the service that ends in a line, or some. Each is a file in `core/doctor/checks/`; what needs a
 * worker's parts is in the `doctor.ts` of its family (`workers/<family>/doctor.ts`).
 */
import { type FoundModule, loadAllFromFolders, loadFromFolders } from '../runtime/discover.ts';
import type { Finding } from '../runtime/finding.ts';
import type { DoctorContext } from './context.ts';

export interface Check {
  /** What is looked at, in a word or two, such as `redis`. */
  name: string;
  /** In ms; 15,000 unless given. */
  timeoutMs?: number;
  /** What to do when it does not come to an end. */
  whenSilent?: string;
  /** @throws NotChecked, ConfigurationError; anything else counts as a failure of the part */
  look(context: DoctorContext, signal: AbortSignal): Promise<Finding | readonly Finding[]>;
}

/** One, several, or what finds out which there are. */
type CheckModule = Check | readonly Check[] | (() => Promise<readonly Check[]>);

export const defineCheck = (check: Check): Check => check;

/** What any process can look at. */
export const coreChecks = (): Promise<Check[]> => checksIn(() => loadAllFromFolders('core/doctor'));

/** What needs the parts of a job family. */
export const workerChecks = (): Promise<Check[]> => checksIn(() => loadFromFolders('workers', 'doctor'));

async function checksIn(load: () => Promise<FoundModule[]>): Promise<Check[]> {
  const checks: Check[] = [];
  for (const { file, exported } of await load()) {
    if (!isCheckModule(exported)) throw new Error(`${file} must export checks by default`);
    checks.push(...(typeof exported === 'function' ? await exported() : [exported].flat()));
  }
  return checks;
}

function isCheckModule(value: unknown): value is CheckModule {
  if (typeof value === 'function') return true;
  return [value]
    .flat()
    .every(one => typeof one === 'object' && one !== null && 'look' in one && 'name' in one);
}

/** The check needs something that is out of order; another check tells of that. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}
