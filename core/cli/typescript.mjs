// Lets Node.js run TypeScript: itself from 22.18 on, in half of the CPU time, and older versions with tsx.
import module from 'node:module';

if (process.features.typescript) module.enableCompileCache();
else await import('tsx');
