/** Whether this Node.js runs the service. */

import { failure, ok } from '../../runtime/finding.ts';
import { defineCheck } from '../check.ts';

const least = { major: 20, minor: 19 };

export default defineCheck({
  name: 'node',
  async look() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const isOldEnough = major > least.major || (major === least.major && minor >= least.minor);
    const found = `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`;
    return isOldEnough ? ok(found) : failure(found, `install Node.js ${least.major}.${least.minor} or later`);
  },
});
