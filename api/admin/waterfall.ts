/** The time of a job as a waterfall: waiting in the queue, attempts, waits for outside systems, and for a person. */
import { type JobEvent, type JobEventType, JobSnapshot } from '../../core/jobs/event.ts';
import { finalStates, waitOf } from '../../core/jobs/record.ts';
import { durationText } from './format.ts';

/** CSS classes of bars. */
type Tone = 'wait' | 'run' | 'outside' | 'person';

interface Span {
  label: string;
  tone: Tone;
  from: Date;
  /** The run before it used no attempt. */
  isUncounted?: boolean;
}

const maxSpans = 40;
/** Percent of the width: shorter bars cannot be seen. */
const minWidth = 0.4;

/** What begins with an event; undefined: nothing changes. */
function begunBy({ type, data, at }: JobEvent): Span | undefined {
  const starts: Partial<Record<JobEventType, () => Omit<Span, 'from'>>> = {
    accepted: () => ({ label: 'Waiting in the queue', tone: 'wait' }),
    requeued: () => ({ label: 'Waiting in the queue', tone: 'wait' }),
    released: () => ({ label: 'Waiting in the queue', tone: 'wait' }),
    'handed-back': () => ({ label: 'Waiting in the queue, its worker shut down', tone: 'wait', isUncounted: true }),
    begun: () => ({ label: `Attempt ${JobSnapshot.parse(data).attemptsMade}`, tone: 'run' }),
    'retry-scheduled': () => waitAfter(JobSnapshot.parse(data)),
    held: () => ({ label: 'Held for a decision', tone: 'person' }),
  };
  const start = starts[type]?.();
  return start && { ...start, from: at };
}

function waitAfter(job: JobSnapshot): Omit<Span, 'from'> {
  const { system } = job.error?.upstream ?? {};
  const reason = waitOf(job);
  const named = system === undefined ? '' : ` (${system})`;
  if (reason) return { label: `Waiting for ${reason}${named}`, tone: 'outside', isUncounted: true };
  return { label: `Waiting after attempt ${job.attemptsMade} failed`, tone: 'wait' };
}

/** @param events oldest first @param end of the job, or now while it is open */
export function waterfall(events: readonly JobEvent[], end: Date) {
  const begun = events.flatMap((event): Span | Span[] => {
    if (finalStates.some(final => final === event.type)) return { label: '', tone: 'wait', from: event.at };
    return begunBy(event) ?? [];
  });
  const [first] = begun;
  if (!first) return undefined;
  const total = Math.max(1, end.getTime() - first.from.getTime());
  const spans = begun.flatMap(({ label, tone, from }, index) => {
    const ms = (begun[index + 1]?.from ?? end).getTime() - from.getTime();
    if (label === '' || ms <= 0) return [];
    const shown = tone === 'run' && begun[index + 1]?.isUncounted ? 'Run, counts as no attempt' : label;
    const x = (100 * (from.getTime() - first.from.getTime())) / total;
    const width = Math.max(minWidth, (100 * ms) / total);
    return [
      { label: shown, tone, duration: durationText(ms), x: round(Math.min(x, 100 - width)), width: round(width) },
    ];
  });
  return {
    total: durationText(total),
    spans: spans.slice(0, maxSpans),
    more: Math.max(0, spans.length - maxSpans),
  };
}

const round = (share: number): number => Math.round(share * 10) / 10;

/** How often a run ended without using an attempt; undefined: never. */
export function waitsText(events: readonly JobEvent[]): string | undefined {
  const waits = events.filter(({ type, data }) => type === 'retry-scheduled' && waitOf(JobSnapshot.parse(data))).length;
  const returns = events.filter(({ type }) => type === 'handed-back').length;
  const texts = [
    ...(waits > 0 ? [`${waits} × for an outside system or space on a disk`] : []),
    ...(returns > 0 ? [`${returns} × after the shutdown of a worker`] : []),
  ];
  return texts.length === 0 ? undefined : texts.join(', ');
}
