/** Tables: the mirrors of the CRM's locations (a tree), deals, deal stages and users. */
import { boolean, customType, index, integer, numeric, pgTable, text } from 'drizzle-orm/pg-core';
import type { CrmDealKind, CrmLocationType, CrmOutcome } from '../../integrations/crm/types.ts';
import { time } from '../../postgres/schema.ts';

/** Ids from the root of the tree down to the row itself, such as `3.57.4021`. */
const ltree = customType<{ data: string; driverData: string }>({ dataType: () => 'ltree' });

/** There is no foreign key to the parent, because the CRM may have locations without their parents. */
export const crmLocationTable = pgTable(
  'crm_location',
  {
    id: integer('id').primaryKey(),
    parentId: integer('parent_id'),
    /** Null if the CRM has no level, or one that is not in CRM_LOCATION_TYPES. */
    type: text('type').$type<CrmLocationType>(),
    name: text('name').notNull(),
    title: text('title').notNull(),
    portalId: text('portal_id'),
    modifiedAt: time('modified_at').notNull(),
    path: ltree('path').notNull(),
  },
  table => [
    index('crm_location_path').using('gist', table.path),
    index('crm_location_parent').on(table.parentId),
    index('crm_location_portal').on(table.portalId),
  ],
);

export const dealTable = pgTable(
  'deal',
  {
    id: integer('id').primaryKey(),
    kind: text('kind').$type<CrmDealKind>().notNull(),
    pipelineId: integer('pipeline_id').notNull(),
    stageId: text('stage_id').notNull(),
    outcome: text('outcome').$type<CrmOutcome>().notNull(),
    amount: numeric('amount', { precision: 20, scale: 2 }).notNull(),
    /** ISO 4217 */
    currency: text('currency').notNull(),
    assignedUserId: integer('assigned_user_id').notNull(),
    createdAt: time('created_at').notNull(),
    modifiedAt: time('modified_at').notNull(),
    closedAt: time('closed_at'),
  },
  table => [index('deal_of_user').on(table.assignedUserId, table.createdAt), index('deal_created').on(table.createdAt)],
);

export const dealStageTable = pgTable('deal_stage', {
  id: text('id').primaryKey(),
  pipelineId: integer('pipeline_id').notNull(),
  name: text('name').notNull(),
  /** Position in the pipeline. */
  place: integer('place').notNull(),
});

/** Contains only the fields that summaries return. */
export const crmUserTable = pgTable('crm_user', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  /** False for a dismissed user. */
  active: boolean('active').notNull(),
});
