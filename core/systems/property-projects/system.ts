/** The system that keeps off-plan and ready projects with their units. */
import { defineSystem } from '../system.ts';
import { openPropertyProjects } from './client.ts';
import { PropertyProjectsConfig } from './config.ts';

export default defineSystem({
  name: 'property-projects',
  title: 'The property-project system',
  config: PropertyProjectsConfig,
  configuredBy: 'PROJECTS_URL',
  sandbox: base => ({ PROJECTS_URL: base, PROJECTS_API_KEY: 'sandbox' }),
  open: openPropertyProjects,
});
