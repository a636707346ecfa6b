/** The mirror of the CRM's deals, their stages, and the users they are assigned to. */
import { and, eq, getTableColumns, gt, gte, lt, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type CrmDealKind, CrmOutcome } from '../../integrations/crm/types.ts';
import type { Database } from '../../postgres/client.ts';
import { createMirrorTable } from '../../sync/mirror-table.ts';
import { crmUserTable, dealStageTable, dealTable as table } from './schema.ts';

/** Key of the mirror's sync state. */
export const dealsStateKind = 'crm-deals';

type Deal = typeof table.$inferSelect;

export interface DealFilter {
  /** Created at this time or later. */
  from?: Date | undefined;
  /** Created before this time. */
  to?: Date | undefined;
  kind?: CrmDealKind | undefined;
  assignedUserId?: number | undefined;
}

/** Deals of one user in one stage and one currency. */
export const DealSum = z.object({
  assignedUserId: z.int(),
  /** Null if the CRM does not return this user. */
  name: z.string().nullable(),
  stageId: z.string(),
  stageName: z.string().nullable(),
  outcome: CrmOutcome,
  currency: z.string(),
  deals: z.coerce.number(),
  /** Decimal, two places. */
  amount: z.string(),
});
export type DealSum = z.infer<typeof DealSum>;

type DealStage = typeof dealStageTable.$inferInsert;
type DealUser = typeof crmUserTable.$inferInsert;

export function createDeals(database: Database) {
  const mirror = createMirrorTable<Deal>(database, { table, columns: getTableColumns(table), nameOf: dealName });

  return {
    mirror,

    /** Replaces all stages and users in one transaction. */
    replaceReferences: (stages: readonly DealStage[], users: readonly DealUser[]): Promise<void> =>
      database.transaction(async tx => {
        await tx.delete(dealStageTable);
        if (stages.length > 0) await tx.insert(dealStageTable).values([...stages]);
        await tx.delete(crmUserTable);
        if (users.length > 0) await tx.insert(crmUserTable).values([...users]);
      }),

    /** Ids in the order of the pipelines. */
    stageIds: async (): Promise<string[]> =>
      (await database.select().from(dealStageTable).orderBy(dealStageTable.pipelineId, dealStageTable.place)).map(
        ({ id }) => id,
      ),

    /**
     * Sums of the next `page.users` users after the user id `page.after`, by user, in the order of the stages.
     * @returns an empty list if no deal matches
     */
    async sums(filter: DealFilter, page: { after: number; users: number }): Promise<DealSum[]> {
      const { rows } = await database.execute(sql`
        with matching as (
          select * from deal where ${matches(filter, page.after)}
        ), page as (
          select distinct assigned_user_id from matching order by assigned_user_id limit ${page.users}
        ), sums as (
          select assigned_user_id, pipeline_id, stage_id, outcome, currency, count(*) as deals, sum(amount) as amount
          from matching join page using (assigned_user_id)
          group by assigned_user_id, pipeline_id, stage_id, outcome, currency
        )
        select assigned_user_id as "assignedUserId", crm_user.name as name, stage_id as "stageId",
          deal_stage.name as "stageName", outcome, currency, deals, amount::text as amount
        from sums
          left join crm_user on crm_user.id = assigned_user_id
          left join deal_stage on deal_stage.id = stage_id
        order by assigned_user_id, sums.pipeline_id, deal_stage.place, stage_id, currency`);
      return z.array(DealSum).parse(rows);
    },

    /** True if the CRM has this user or a deal is assigned to it. */
    async knowsUser(userId: number): Promise<boolean> {
      const { rows } = await database.execute(sql`
        select from crm_user where id = ${userId} union all select from deal where assigned_user_id = ${userId} limit 1`);
      return rows.length > 0;
    },
  };
}

/** Such as `secondary, 1250000.00 AED, Won, Anna Smith`: deals have no title here. */
const dealName = (row: string) =>
  sql.raw(`concat_ws(', ', ${row}.kind, ${row}.amount || ' ' || ${row}.currency,
    (select name from deal_stage where deal_stage.id = ${row}.stage_id),
    (select name from crm_user where crm_user.id = ${row}.assigned_user_id))`);

const matches = ({ from, to, kind, assignedUserId }: DealFilter, afterUser: number) =>
  and(
    gt(table.assignedUserId, afterUser),
    assignedUserId === undefined ? undefined : eq(table.assignedUserId, assignedUserId),
    kind && eq(table.kind, kind),
    from && gte(table.createdAt, from),
    to && lt(table.createdAt, to),
  );
