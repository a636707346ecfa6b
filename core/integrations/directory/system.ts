/** The directory of the people who may sign in, and of their groups. */
import { defineSystem } from '../kit/define-system.ts';
import { openDirectory } from './client.ts';
import { DirectoryConfig } from './config.ts';

export default defineSystem({
  name: 'directory',
  title: 'The identity directory',
  config: DirectoryConfig,
  configuredBy: 'DIRECTORY_URL',
  sandbox: base => ({ DIRECTORY_URL: base, DIRECTORY_API_KEY: 'sandbox' }),
  open: openDirectory,
  probe: directory => directory.usersPage({ offset: 0, limit: 1 }),
});
