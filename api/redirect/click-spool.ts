/**
 * The journal of one API process: a file that clicks are appended to before they are answered. It outlives a process
 * that is killed; another one counts what is left of it. It is a spool of moments, removed when all of it is counted.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';

const extension = '.clicks';
/** What is read at once: some three thousand clicks. */
const partBytes = 512 * 1024;

/** Complete lines of a journal. */
export interface Part {
  from: number;
  to: number;
  lines: string;
}

export class ClickJournal {
  readonly id = uuidv7();
  readonly file: string;
  readonly #fd: number;
  /** How much of it is counted, in bytes. */
  counted = 0;
  #size = 0;

  constructor(folder: string) {
    this.file = path.join(folder, this.id + extension);
    this.#fd = openSync(this.file, 'ax+', 0o600);
  }

  get size(): number {
    return this.#size;
  }

  /** Another process took it for abandoned and has removed it: what is appended now would be lost. */
  get isGone(): boolean {
    return fstatSync(this.#fd).nlink === 0;
  }

  /**
   * On return the lines outlive the process (they are the system's; only a crash of the machine can lose them).
   * @throws when the disk is full or broken; then nothing is appended
   */
  append(lines: string): void {
    const bytes = Buffer.from(lines);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
      this.#size += bytes.length;
    } catch (error) {
      // Half a line would spoil the next one.
      ftruncateSync(this.#fd, this.#size);
      throw error;
    }
  }

  /** What is to be counted next; undefined when all is. */
  read(): Part | undefined {
    return readPart(this.#fd, this.counted);
  }

  /** Tells other processes that this one is alive. */
  touch(): void {
    const now = new Date();
    futimesSync(this.#fd, now, now);
  }

  remove(): void {
    removeFile(this.file);
    closeSync(this.#fd);
  }

  /** Leaves the file for another process. */
  abandon(): void {
    closeSync(this.#fd);
  }
}

/** The id of the journal that a file in the folder is; undefined for any other file. */
export const journalIdOf = (fileName: string): string | undefined =>
  fileName.endsWith(extension) ? fileName.slice(0, -extension.length) : undefined;

/** What of a journal follows after `from`; undefined when nothing does but the torn line of a process that was killed. */
export function readPartOfFile(file: string, from: number): Part | undefined {
  const fd = openSync(file, 'r');
  try {
    return readPart(fd, from);
  } finally {
    closeSync(fd);
  }
}

function readPart(fd: number, from: number): Part | undefined {
  const buffer = Buffer.allocUnsafe(partBytes);
  const bytes = buffer.subarray(0, readSync(fd, buffer, 0, partBytes, from));
  const end = bytes.lastIndexOf('\n') + 1;
  return end === 0 ? undefined : { from, to: from + end, lines: bytes.toString('utf8', 0, end) };
}

export function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
