/** Users as the CRM writes them. */
import { z } from 'zod';
import { Id, TextOrNull, YesNo } from './scalars.ts';

export const userPageRows = 50;

export const WireUser = z
  .object({
    ID: Id,
    ACTIVE: YesNo,
    NAME: TextOrNull,
    LAST_NAME: TextOrNull,
    EMAIL: TextOrNull,
    WORK_POSITION: TextOrNull,
    PERSONAL_MOBILE: TextOrNull,
    PERSONAL_PHONE: TextOrNull,
    WORK_PHONE: TextOrNull,
    UF_DEPARTMENT: z.union([z.array(Id), z.null(), z.literal(false)]).default([]),
  })
  .transform(row => ({
    id: row.ID,
    firstName: row.NAME,
    lastName: row.LAST_NAME,
    name: [row.NAME, row.LAST_NAME].filter(Boolean).join(' ') || row.EMAIL || `User ${row.ID}`,
    email: row.EMAIL,
    /** As they were typed in. */
    phones: [row.PERSONAL_MOBILE, row.WORK_PHONE, row.PERSONAL_PHONE].filter(phone => phone !== null),
    jobTitle: row.WORK_POSITION,
    departmentIds: row.UF_DEPARTMENT || [],
    /** False: dismissed. */
    active: row.ACTIVE,
  }));
export type CrmUser = z.output<typeof WireUser>;
