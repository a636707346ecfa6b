/** Removes the temporary folders of each test file. Vitest runs a setup file for each of them, a module that they share only once. */
import { afterAll } from 'vitest';
import { removeTemporaryFolders } from './temporary-folder.ts';

afterAll(removeTemporaryFolders);
