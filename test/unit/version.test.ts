/** Service, client, image, manifests and API document have one version. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { rootFolder } from '../../core/runtime/discover.ts';
import { version } from '../../core/runtime/version.ts';

it.each([
  ['package.json', /"version": "(.+)"/],
  ['client/package.json', /"version": "(.+)"/],
  ['Dockerfile', /^ARG VERSION=(.+)$/m],
  ['deploy/kubernetes/base/kustomization.yaml', /newTag: ([^ }]+)/],
  ['CHANGELOG.md', /^## (\d\S*)/m],
])('%s names it', (file, pattern) => {
  expect(pattern.exec(readFileSync(path.join(rootFolder, file), 'utf8'))?.[1]).toBe(version);
});
