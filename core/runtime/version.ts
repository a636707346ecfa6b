/** The service's version, from `package.json`. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { rootFolder } from './discover.ts';

/** The build in `dist` has its `package.json` one folder up. */
const packageFile = [rootFolder, path.dirname(rootFolder)]
  .map(folder => path.join(folder, 'package.json'))
  .find(existsSync);

export const { version } = z
  .object({ version: z.string() })
  .parse(packageFile === undefined ? { version: 'unknown' } : JSON.parse(readFileSync(packageFile, 'utf8')));

/** Sent with every outgoing HTTP request. */
export const userAgent = `PortalService/${version}`;
