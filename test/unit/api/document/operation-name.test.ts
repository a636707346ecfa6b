import { expect, it } from 'vitest';
import { operationName } from '../../../../api/document/operation-name.ts';

it.each([
  ['crm.createLead', 'Create lead'],
  ['jobs.cancel', 'Cancel job'],
  ['jobs.list', 'List jobs'],
  ['events.authenticate', 'Authenticate with events platform'],
  ['portal.createNewPdf', 'Create new PDF'],
  ['links.getQr', 'Get QR code'],
  ['telephony.checkDnc', 'Check do-not-call status'],
  ['telephony.sendSmsByGet', 'Send SMS by GET'],
  ['crm.terminateUserInPropertyProjects', 'Terminate user in property projects'],
])('%s is "%s"', (id, name) => expect(operationName(id)).toBe(name));
