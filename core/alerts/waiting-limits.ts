/** How long jobs may wait before it is an alert, as `900,pdf=120` says it: for all kinds, then for single ones. */

/** In seconds. */
export interface WaitingLimits {
  ofAll: number;
  ofKind: ReadonlyMap<string, number>;
}

/** Undefined when the text does not say it. */
export function parseWaitingLimits(text: string): WaitingLimits | undefined {
  const [ofAll = '', ...others] = text.split(',').map(part => part.trim());
  const single = others.map(part => /^([a-z][a-z-]*)=(\d{1,7})$/.exec(part));
  if (!/^\d{1,7}$/.test(ofAll) || single.includes(null)) return undefined;
  return {
    ofAll: Number(ofAll),
    ofKind: new Map(single.flatMap(found => (found?.[1] ? [[found[1], Number(found[2])] as const] : []))),
  };
}
