/** Pipelines of deals and statuses of leads; semantics of a stage: P in progress, S won, F lost. */

export interface Stage {
  id: string;
  name: string;
  semantics: 'P' | 'S' | 'F';
}

export interface Pipeline {
  id: number;
  name: string;
  stages: readonly Stage[];
}

const stages = (prefix: string, names: readonly (readonly [string, string, Stage['semantics']])[]): Stage[] =>
  names.map(([id, name, semantics]) => ({ id: `${prefix}${id}`, name, semantics }));

export const dealPipelines: readonly Pipeline[] = [
  {
    id: 0,
    name: 'Off-plan',
    stages: stages('', [
      ['NEW', 'Expression of interest', 'P'],
      ['PREPARATION', 'Unit reserved', 'P'],
      ['EXECUTING', 'Agreement signed', 'P'],
      ['FINAL_INVOICE', 'Commission invoiced', 'P'],
      ['WON', 'Commission paid', 'S'],
      ['LOSE', 'Lost', 'F'],
    ]),
  },
  {
    id: 1,
    name: 'Resale & rental',
    stages: stages('C1:', [
      ['NEW', 'Offer made', 'P'],
      ['PREPARATION', 'Form F signed', 'P'],
      ['EXECUTING', 'No-objection certificate', 'P'],
      ['WON', 'Transferred', 'S'],
      ['LOSE', 'Lost', 'F'],
      ['APOLOGY', 'Owner withdrew', 'F'],
    ]),
  },
  {
    id: 2,
    name: 'Property management',
    stages: stages('C2:', [
      ['NEW', 'Enquiry', 'P'],
      ['WON', 'Contract signed', 'S'],
      ['LOSE', 'Lost', 'F'],
    ]),
  },
];

export const leadStatuses: readonly Stage[] = stages('', [
  ['NEW', 'New', 'P'],
  ['IN_PROCESS', 'Contacted', 'P'],
  ['PROCESSED', 'Qualified', 'P'],
  ['CONVERTED', 'Converted', 'S'],
  ['JUNK', 'Not serious', 'F'],
]);

export const sources: readonly Stage[] = stages('', [
  ['WEB', 'Website', 'P'],
  ['UC_LANDING', 'Landing page', 'P'],
  ['UC_PORTAL', 'Listing portal', 'P'],
  ['UC_EVENT', 'Event', 'P'],
  ['CALL', 'Call', 'P'],
]);

const semanticsById = new Map(
  [...dealPipelines.flatMap(pipeline => pipeline.stages), ...leadStatuses].map(stage => [stage.id, stage.semantics]),
);

/** Unknown stages count as in progress. */
export const semanticsOf = (stageId: unknown): Stage['semantics'] => semanticsById.get(String(stageId)) ?? 'P';
