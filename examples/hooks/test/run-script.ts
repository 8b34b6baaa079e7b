import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a hook has left. */
export interface Left {
  readonly patches: readonly Patch[];
  /** Lines on standard output. */
  readonly lines: readonly string[];
}

export interface Patch {
  readonly operation: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly mergePatch?: object;
  readonly object?: {
    readonly metadata: { readonly namespace: string; readonly name: string };
    readonly data?: Readonly<Record<string, string>>;
  };
}

/** Starts a hook of `examples/hooks/hooks` once, as its runner does. @throws as execFile when it fails. */
export async function runScript(name: string, contexts: readonly object[]): Promise<Left> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-script-'));
  try {
    const [context, patches, metrics] = ['context.json', 'patches', 'metrics'].map((file) =>
      join(folder, file),
    ) as [string, string, string];
    await writeFile(context, `${JSON.stringify(contexts)}\n`);
    await writeFile(patches, '');
    const { PATH = '' } = process.env;
    const { stdout } = await run(fileURLToPath(new URL(`../hooks/${name}`, import.meta.url)), {
      cwd: fileURLToPath(new URL('../hooks/', import.meta.url)),
      env: {
        PATH,
        BINDING_CONTEXT_PATH: context,
        KUBERNETES_PATCH_PATH: patches,
        METRICS_PATH: metrics,
      },
    });
    return {
      patches: linesOf(await readFile(patches, 'utf8')).map(parsed),
      lines: linesOf(stdout),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

function parsed(line: string): Patch {
  return JSON.parse(line) as Patch;
}
