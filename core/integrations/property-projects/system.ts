/** The system that keeps off-plan and ready projects with their units. */
import { defineSystem } from '../kit/define-system.ts';
import { openPropertyProjects } from './client.ts';
import { PropertyProjectsConfig } from './config.ts';
import { wholeCollection } from './reference-query.ts';

export default defineSystem({
  name: 'property-projects',
  title: 'The property-project system',
  config: PropertyProjectsConfig,
  configuredBy: 'PROPERTY_PROJECTS_URL',
  sandbox: base => ({ PROPERTY_PROJECTS_URL: base, PROPERTY_PROJECTS_API_KEY: 'sandbox' }),
  open: openPropertyProjects,
  probe: projects => projects.referencePage(wholeCollection('emirates'), 1, {}),
});
