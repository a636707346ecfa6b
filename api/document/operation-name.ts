/** The names of operations in lists: two to five words, from their ids. */

/** Groups whose name is not the plural of what their operations are about. */
const subjects: Readonly<Record<string, string>> = { events: 'with events platform' };

const initials: Readonly<Record<string, string>> = {
  dnc: 'do-not-call status',
  get: 'GET',
  id: 'id',
  pdf: 'PDF',
  qr: 'QR code',
  sms: 'SMS',
};

/**
 * `crm.createLead` is `Create lead`. An id that is a verb alone takes its noun from the group: `jobs.cancel` is `Cancel job`,
 * `jobs.list` is `List jobs`.
 */
export function operationName(id: string): string {
  const [group = '', last = ''] = id.split('.');
  const [verb = '', ...nouns] = last.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).split(' ');
  const named = nouns.map(word => initials[word] ?? word);
  const words = named.length > 0 ? named : [subjects[group] ?? (verb === 'list' ? group : group.replace(/s$/, ''))];
  return [verb.charAt(0).toUpperCase() + verb.slice(1), ...words].join(' ');
}
