/** Texts of the API document that no operation owns: groups, introduction, and names with one meaning everywhere. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { templateFolder } from '../../core/runtime/discover.ts';
import type { LoadedOperation } from '../http/load-operations.ts';

const textOf = (file: string): string => readFileSync(new URL(`docs/${file}`, templateFolder), 'utf8');

/** With the number of operations, and of those that start a job. */
export function readIntroduction(operations: readonly LoadedOperation[]): string {
  const jobs = operations.filter(({ startsJob }) => startsJob !== undefined).length;
  return textOf('introduction.md').replace('{operations}', `${operations.length}`).replace('{jobs}', `${jobs}`);
}

/** Descriptions of properties by name, for those without one of their own. */
export const readGlossary = () => z.record(z.string(), z.string()).parse(JSON.parse(textOf('glossary.json')));

/** Folder, name and description, ordered by use: brochures first, operations of the service last. */
const groups: readonly (readonly [folder: string, name: string, description: string])[] = [
  ['brochures', 'Brochures', 'Listings as PDF in two designs, previews of single pages, and brands.'],
  ['jobs', 'Jobs', 'Follow and control jobs of every kind, and get their results.'],
  ['portal', 'Portal', 'Locations, leads and users, for the portal and the chat bot.'],
  ['crm', 'CRM', 'Deals, leads, items and locations of the CRM; terminations of employees.'],
  ['listing-portal', 'Listing portal', 'The local mirror of the listing portal’s locations; its enquiries and events.'],
  ['property-projects', 'Property projects', 'Reference data, users and images of the property-project system.'],
  ['links', 'Short links', 'Project and campaign links, their QR codes and clicks.'],
  ['telephony', 'Telephony', 'SMS, and the do-not-call registry.'],
  ['events', 'Events', 'Leads from event orders.'],
  ['employees', 'Employees', 'Employee records, synchronised with the directory and the CRM.'],
  ['directory', 'Identity directory', 'Users, groups and scheduled changes of user state.'],
  ['schedules', 'Schedules', 'Jobs that the service starts at scheduled times.'],
  ['oauth', 'OAuth', 'Tokens (RFC 6749, 7009, 7662) and clients.'],
  ['health', 'Health', 'Liveness and readiness.'],
];

/** Falls back to the folder's name. */
export const groupName = (folder: string): string => groups.find(([known]) => known === folder)?.[1] ?? folder;

/** The groups that have operations, in page order; unknown ones last. */
export function groupsOf(operations: readonly LoadedOperation[]): { name: string; description?: string }[] {
  const folders = new Set(operations.map(({ group }) => group));
  const known = groups.filter(([folder]) => folders.delete(folder));
  return [...known.map(([, name, description]) => ({ name, description })), ...[...folders].map(name => ({ name }))];
}
