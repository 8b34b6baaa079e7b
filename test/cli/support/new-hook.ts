import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { onTestFinished, vi } from 'vitest';
import { folderWith } from '../child.ts';
import { type Invocation, invoke } from '../invocation.ts';

/** A new folder, in which this process is until the test has finished. */
export function newHook() {
  const folder = folderWith({});
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => cwd.mockRestore());
  return {
    folder,
    create: (...words: readonly string[]): Invocation => invoke(['create', 'hook', ...words]),
    /** What a hook answers to `--config`, and its patches for the contexts of a file. */
    start(script: string, contexts: string): { readonly config: string; readonly patches: string } {
      const patchFile = join(folder, 'patches');
      const config = execFileSync(script, ['--config'], { encoding: 'utf8' });
      const files = { BINDING_CONTEXT_PATH: contexts, KUBERNETES_PATCH_PATH: patchFile };
      execFileSync(script, { env: { ...process.env, ...files }, stdio: 'ignore' });
      return { config, patches: readFileSync(patchFile, 'utf8') };
    },
  };
}
