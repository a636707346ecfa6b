/** Puts the photos and drawings into a printed PDF, each where its stand-in is. */
import { dictionaryAt, dictionaryText } from './pdf-file.ts';
import { type Inlay, standsFor } from './stand-ins.ts';

export interface WithInlays {
  /** The body's parts in order; the photos are not copied. */
  parts: Buffer[];
  bytes: number;
  /** Where what was at a place of the body is now. */
  moved(at: number): number;
}

/** A stand-in's dictionary and stream, from its `<<` to the end of its data, and what takes their place. */
interface Exchange {
  from: number;
  to: number;
  parts: Buffer[];
}

const hashLength = 64;
/** ISO 32000-1, 7.3.8.1: an end-of-line follows the word, then the data. */
const streamOpening = Buffer.from('stream\n');

/**
 * @param body the printed objects
 * @param inlays by hash, as the stand-ins name them
 * @throws Error when a photo's stand-in is not there: a page would show a grey picture
 */
export function putInInlays(body: Buffer, inlays: ReadonlyMap<string, Inlay>): WithInlays {
  const missing = new Set(
    [...inlays.values()].filter(({ kind }) => kind === 'photo').map(({ hash }) => hash),
  );
  const exchanges: Exchange[] = [];
  for (let at = body.indexOf(standsFor); at !== -1; at = body.indexOf(standsFor, at + 1)) {
    const hash = body.toString('latin1', at + standsFor.length, at + standsFor.length + hashLength);
    const inlay = inlays.get(hash);
    if (!inlay) continue;
    exchanges.push(exchangeAt(body, at, inlay));
    missing.delete(hash);
  }
  if (missing.size > 0) throw new Error(`${missing.size} photos did not come into the PDF as they are.`);
  return assemble(body, exchanges);
}

function exchangeAt(body: Buffer, at: number, inlay: Inlay): Exchange {
  const standIn = dictionaryAt(body, body.lastIndexOf(' obj', at));
  const dataAt = body.indexOf(streamOpening, standIn.end) + streamOpening.length;
  const kept = inlay.kind === 'photo' ? standIn.entries : [];
  const entries = new Map([...kept, ...inlay.entries, ['Length', String(inlay.body.length)]]);
  return {
    from: standIn.start,
    to: dataAt + Number(standIn.entries.get('Length')),
    parts: [Buffer.from(`${dictionaryText(entries)} stream\n`, 'latin1'), inlay.body],
  };
}
function assemble(body: Buffer, exchanges: readonly Exchange[]): WithInlays {
  const parts: Buffer[] = [];
  /** From each place on, how much further back things are. */
  const shifts: { from: number; by: number }[] = [];
  let taken = 0;
  let by = 0;
  for (const exchange of exchanges) {
    parts.push(body.subarray(taken, exchange.from), ...exchange.parts);
    by += lengthOf(exchange.parts) - (exchange.to - exchange.from);
    shifts.push({ from: exchange.to, by });
    taken = exchange.to;
  }
  parts.push(body.subarray(taken));
  return { parts, bytes: body.length + by, moved: at => at + shiftAt(shifts, at) };
}

/** The last shift that begins at the place or before; they are in order. */
function shiftAt(shifts: readonly { from: number; by: number }[], at: number): number {
  let low = 0;
  let high = shifts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((shifts[middle]?.from ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return shifts[low - 1]?.by ?? 0;
}

const lengthOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);
