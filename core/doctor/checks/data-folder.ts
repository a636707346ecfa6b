/** The data folder: other users of the machine cannot read it. */
import path from 'node:path';
import { ok, warning } from '../../runtime/finding.ts';
import { openToOthers } from '../../runtime/private-folder.ts';
import { StorageConfig } from '../../storage/config.ts';
import { defineCheck } from '../check.ts';

const maxNamed = 3;

export default defineCheck({
  name: 'data folder',
  async run({ read }) {
    const folder = path.resolve(read(StorageConfig).DATA_DIR);
    const open = await openToOthers(folder);
    if (open.length === 0) return ok(`${folder}: not readable by other users`);
    const named = open.slice(0, maxNamed).map(({ file }) => file);
    const more = open.length > maxNamed ? ` and ${open.length - maxNamed} more` : '';
    const fix = 'restart the service, which takes their rights away, or run chmod go-rwx';
    return warning(`other users of this machine have rights on ${named.join(', ')}${more}`, fix);
  },
});
