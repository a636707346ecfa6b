/**
 * Tells visitors apart without knowing them: an address and a browser become a number under a secret of the day. The
 * secret is deleted after two days; then nobody, the service included, can tell whether a number was somebody's.
 */
import { hash } from 'node:crypto';
import { visitorSalts } from '../../core/domain/links/clicks.ts';
import type { Database } from '../../core/postgres/client.ts';
import type { Logger } from '../../core/telemetry/logger.ts';

const dayMs = 86_400_000;
const renewEveryMs = 60_000;

export interface Visitors {
  /** A UUID that is the same for one address and browser on one day (UTC); null while no secret can be had. */
  numberOf(address: string, userAgent: string, at: number): string | null;
  /** Resolves once the first secret was asked for. */
  ready: Promise<void>;
  close(): void;
}

export function openVisitors(database: Database, logger: Logger): Visitors {
  let salts = new Map<string, string>();
  const renew = async (): Promise<void> => {
    const now = Date.now();
    // Tomorrow's too, so that the day can change while PostgreSQL is away.
    const days = [dayOf(now), dayOf(now + dayMs)];
    try {
      salts = await visitorSalts(database, days, dayOf(now - dayMs));
    } catch (error) {
      logger.warn({ err: error }, 'the secrets that visitors are made of could not be read; tried again');
    }
  };
  const timer = setInterval(renew, renewEveryMs);
  return {
    ready: renew(),
    numberOf(address, userAgent, at) {
      const salt = salts.get(dayOf(at));
      if (!salt) return null;
      // A keyed hash: the salt is 256 random bits, and of the hash only half is told, so nothing can be appended to it.
      const hex = hash('sha256', `${salt}\n${address}\n${userAgent}`);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    },
    close: () => clearInterval(timer),
  };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
