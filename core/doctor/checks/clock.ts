/** This machine's clock, against that of the database: locks, schedules, tokens and signatures go by both. */

import { ok, warning } from '../../runtime/finding.ts';
import { defineCheck } from '../check.ts';
import { onWorkingDatabase } from '../on-database.ts';

const tolerableMs = 2_000;

export default defineCheck({
  name: 'clock',
  timeoutMs: 90_000,
  async look(context) {
    const apartMs = await onWorkingDatabase(context, async client => {
      const asked = Date.now();
      const { rows } = await client.query<{ ms: string }>(
        'select extract(epoch from clock_timestamp()) * 1000 as ms',
      );
      return Number(rows[0]?.ms) - (asked + Date.now()) / 2;
    });
    const found = `${Math.round(Math.abs(apartMs))} ms from the database’s`;
    return Math.abs(apartMs) <= tolerableMs
      ? ok(found)
      : warning(found, 'let both machines take their time from NTP (timedatectl set-ntp true)');
  },
});
