/** The results of jobs by kind, as `GET /jobs/{id}` returns them. A type test compares them with the service's own. */
import type { components } from './schema.ts';

export interface JobResults {
  pdf: PdfResult;
  'pdf-preview': PreviewResult;
  'location-sync': LocationSyncResult;
  'crm-acquisition': CrmAcquisitionResult;
  'employee-resync': EmployeeResyncResult;
  'event-orders': SyncReport;
  leads: LeadsResult;
  activity: ActivityResult;
  terminations: SystemTermination | FullTermination;
  maintenance: MaintenanceResult;
  'ops-digest': DigestResult;
}

export interface PdfResult {
  design: 'classic' | 'new';
  listings: number;
  pages: number;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
  fileName: string;
  photos: {
    printed: number;
    missing: number;
    /** The reduced photo quality when `maxBytes` required it: pixels per inch, and JPEG quality from 1 to 100. */
    traded?: { dpi: number; quality: number };
  };
}

export interface PreviewResult {
  design: 'classic' | 'new';
  page: number;
  dpi: number;
  /** In pixels. */
  width: number;
  height: number;
  bytes: number;
  sha256: string;
}

/** The report of a synchronisation; numbers of rows unless noted. */
export interface SyncReport {
  /** True if the report shows planned changes and nothing was changed. */
  dryRun: boolean;
  read: number;
  /** Rows that needed no change. */
  matched: number;
  created: number;
  updated: number;
  deleted: number;
  skipped: number;
  failed: number;
  /** Requests to outside systems, including retries. */
  calls: number;
  seconds: number;
  /** Rows that failed, are ambiguous or in conflict; with `dryRun` also the planned changes. */
  rows: {
    key: string;
    outcome: 'created' | 'updated' | 'deleted' | 'skipped' | 'failed' | 'ambiguous' | 'conflict';
    reason: string;
  }[];
  /** Further rows that did not fit into the report. */
  rowsLeftOut: number;
  /** Why the run was held instead of applied; absent if it was not held. */
  heldBecause?: string[];
}

export interface LocationSyncResult extends SyncReport {
  what: 'update' | 'sync';
  /** The only city that was read; null: all cities. */
  city: string | null;
  /** The local copy of the portal's locations; `gone`: locations that the portal no longer has. */
  copy: { matched: number; created: number; updated: number; gone: number };
}

export interface CrmAcquisitionResult extends SyncReport {
  what: 'deals' | 'locations';
  /** True if all rows were read; false if only changed ones. */
  full: boolean;
  /** When the read started. */
  asOf: string;
}

export interface EmployeeResyncResult extends SyncReport {
  mode: 'resync' | 'delete-all' | 'restore';
  /** The snapshot that was taken or restored. */
  snapshotId: string | null;
  /** Employees in the list afterwards; of a dry or held run, as planned. */
  listed: number;
}

export interface LeadStep {
  /** `same`: no change was needed. `not-run`: the preceding update failed. */
  outcome: 'updated' | 'same' | 'not-found' | 'failed' | 'not-run';
  fields: string[];
  /** Fields left out because their source was not available. */
  leftOut: string[];
  reason: string | null;
}

export interface LeadsResult extends SyncReport {
  /** In the order of the request; a step is null if it was not requested. */
  leads: { id: number; update: LeadStep | null; enrichment: LeadStep | null }[];
}

export interface ActivityResult extends SyncReport {
  /** First and last day, such as `2026-01-31`. */
  from: string;
  to: string;
}

export type AccountState =
  | {
      state: 'STAGED' | 'ACTIVATED' | 'SUSPENDED';
      groups: { id: string; name: string | null; byRule: boolean }[];
      scheduledActivations: number;
    }
  | { role: string | null; active: boolean }
  | { active: boolean };

/** Of a termination in one system. */
export interface SystemTermination {
  system: 'property-projects' | 'directory' | 'chat-bot';
  /** `absent`: the system has no such user. `to-be-terminated`: of a dry run. */
  outcome: 'terminated' | 'already-terminated' | 'absent' | 'to-be-terminated';
  user: { crmId: number | null; id: string | null; matchedBy: 'crmId' | 'email' | null };
  before: AccountState | null;
  /** Read again afterwards; null if the user no longer exists. */
  after: AccountState | null;
  verifiedAt: string;
}

/** Of a termination in all systems. */
export interface FullTermination {
  outcome: 'terminated' | 'already-terminated' | 'to-be-terminated';
  user: { crmId: number | null };
  systems: SystemTermination[];
  verifiedAt: string;
}

export interface MaintenanceResult {
  /** `finished`: false if the time was over before all was done. */
  tasks: { task: string; counts: Record<string, number>; finished: boolean; ms: number }[];
}

interface EndedJobs {
  succeeded: number;
  failed: number;
  cancelled: number;
}

/** The summary of 24 hours. */
export interface DigestResult {
  day: string;
  from: string;
  to: string;
  /** `before`: the same for the previous 24 hours. */
  jobs: (EndedJobs & {
    kind: string;
    before: EndedJobs;
    typicalSeconds: number | null;
    slowSeconds: number | null;
  })[];
  errors: { kind: string; title: string; count: number; lastJobId: string }[];
  syncs: {
    kind: string;
    runs: number;
    read: number;
    created: number;
    updated: number;
    deleted: number;
    failed: number;
    calls: number;
  }[];
  held: { jobId: string; kind: string; heldAt: string; hours: number }[];
  fires: { schedule: string; outcome: string; count: number }[];
  systems: { system: string; calls: number; faults: number }[];
  unknownEffects: { kind: string; count: number }[];
  sms: {
    sent: number;
    unknown: number;
    parts: number;
    balance: { amount: number; currency: string; askedAt: string } | null;
  };
  links: {
    created: number;
    clicks: number;
    scans: number;
    most: { name: string; slug: string; clicks: number }[];
  };
  alerts: components['schemas']['Alert'][];
  unusedClients: { clientId: string; name: string; lastUsedAt: string | null }[];
  mail: 'sent' | 'sent-before' | 'not-configured';
}
