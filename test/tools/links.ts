import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { pathOf } from './tools.ts';

/** A folder for the beginning of a PATH, in which these tools are called by their names. It ends with the test. */
export function folderWithTools(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-tools-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of names) symlinkSync(pathOf(name), join(folder, name));
  return folder;
}
