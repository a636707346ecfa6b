/**
 * Click spool of one API process: a file of JSON lines, appended before the click is answered, deleted when all of it
 * is in PostgreSQL. It survives `kill -9`; another process then counts the rest.
 */
import { closeSync, fstatSync, ftruncateSync, futimesSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { SpoolPart } from '../../core/domain/links/clicks.ts';
import { undefinedIfMissing } from '../../core/runtime/error-code.ts';

const extension = '.clicks';
/** Bytes per read: about 3,000 clicks. */
const partBytes = 512 * 1024;

/** Complete lines of a spool. */
export type Part = Omit<SpoolPart, 'spoolId'>;

export class ClickSpool {
  readonly id = uuidv7();
  readonly file: string;
  readonly #fd: number;
  /** Bytes counted so far. */
  counted = 0;
  #size = 0;

  constructor(folder: string) {
    this.file = path.join(folder, this.id + extension);
    this.#fd = openSync(this.file, 'ax+', 0o600);
  }

  get size(): number {
    return this.#size;
  }

  /** Another process took the spool for abandoned and deleted it; appended clicks would be lost. */
  get isDeleted(): boolean {
    return fstatSync(this.#fd).nlink === 0;
  }

  /**
   * On return the lines are in the page cache: they survive the process, but not a crash of the machine.
   * @throws when the disk is full or broken; nothing is appended then
   */
  append(lines: string): void {
    const bytes = Buffer.from(lines);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
      this.#size += bytes.length;
    } catch (error) {
      // A partial line would corrupt the next one.
      ftruncateSync(this.#fd, this.#size);
      throw error;
    }
  }

  /** The next part to count; undefined when everything is counted. */
  read(): Part | undefined {
    return readPart(this.#fd, this.counted);
  }

  /** Heartbeat for other processes. */
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

/** Undefined for a file that is not a spool. */
export const spoolIdOf = (fileName: string): string | undefined =>
  fileName.endsWith(extension) ? fileName.slice(0, -extension.length) : undefined;

/** The part after `from`; undefined at the end, where a killed process may have left an incomplete line. */
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

/** Ignores a file that another process has deleted. */
export function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    undefinedIfMissing(error);
  }
}
