// Installs the dependencies when they are missing or older than the lockfile. Needs only Node.js and npm.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Portal Service needs Node.js 20.19 or later; this is ${process.versions.node}.\n`);
  process.exit(1);
}

// npm writes this file at the end of every install.
const installed = path.join(root, 'node_modules/.package-lock.json');
const stale =
  !existsSync(installed) || statSync(installed).mtimeMs < statSync(path.join(root, 'package-lock.json')).mtimeMs;

if (stale) {
  process.stdout.write('Installing the dependencies …\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // With NODE_ENV=production, npm would omit the packages that run TypeScript.
  const { status } = spawnSync(npm, ['ci', '--include=dev', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
