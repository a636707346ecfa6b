/** Preloaded with `--import`: writes the open resources of its process to a file in `PROBE_FOLDER`, twice a second. */
import { createHook } from 'node:async_hooks';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const timers = new Set();
let warnings = 0;

// `process.getActiveResourcesInfo()` does not have timers that are unref'd, which a library's often are.
createHook({
  init: (id, type) => void (type === 'Timeout' && timers.add(id)),
  destroy: id => void timers.delete(id),
}).enable();
process.on('warning', ({ name }) => void (name === 'MaxListenersExceededWarning' && warnings++));

const file = path.join(process.env.PROBE_FOLDER ?? '.', `${process.pid}.json`);
setInterval(() => {
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const handles = process.getActiveResourcesInfo().filter(name => name !== 'Timeout' && name !== 'Immediate').length;
  const megabytes = process.memoryUsage.rss() / 2 ** 20;
  writeFileSync(`${file}.part`, JSON.stringify({ timers: timers.size, listeners, handles, warnings, megabytes }));
  renameSync(`${file}.part`, file);
}, 500).unref();
