/**
 * A hook that records what it is told and answers what a test prepared, in each language of the examples. It has a
 * folder beside the hooks: `config.yaml`, `runs/N.json` with the contexts of its Nth start, `answers/` with what
 * it leaves, and pipes `held-N` at which its Nth start waits.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@chancery/testing';

const run = promisify(execFile);

export type Language = 'node' | 'bash' | 'python';

/** Every language where tools may be started, and Node alone in `npm test`. */
export const LANGUAGES: readonly Language[] =
  process.env.CHANCERY_TEST_AMBASSADOR === 'kubectl' ? ['node', 'bash', 'python'] : ['node'];

/** One item of the array that a hook reads. */
export interface Context {
  readonly binding: string;
  readonly type?: string;
  readonly watchEvent?: string;
  readonly groupName?: string;
  readonly object?: RecordedObject;
  readonly filterResult?: unknown;
  readonly objects?: readonly SnapshotItem[];
  readonly snapshots?: Readonly<Record<string, readonly SnapshotItem[]>>;
}

export interface SnapshotItem {
  readonly object?: RecordedObject;
  readonly filterResult?: unknown;
}

interface RecordedObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** What a start of the hook leaves. */
export interface Answer {
  /** The patch file, as text or as documents. Default: empty. */
  readonly patches?: string | readonly object[];
  /** The metrics file. Default: empty. */
  readonly metrics?: string;
  /** Default 0. */
  readonly exitCode?: number;
}

/** The hook as its test sees it. */
export class Recorder {
  readonly language: Language;
  readonly #folder: string;

  constructor(folder: string, language: Language) {
    this.#folder = folder;
    this.language = language;
  }

  /** Makes its folder. @param config - what it answers to `--config`. */
  async prepare(config: string): Promise<void> {
    await mkdir(join(this.#folder, 'runs'), { recursive: true });
    await mkdir(join(this.#folder, 'answers'), { recursive: true });
    await this.configure(config);
  }

  /** What it answers to `--config` from now on. */
  configure(config: string): Promise<void> {
    return writeFile(join(this.#folder, 'config.yaml'), config);
  }

  /** The text of its executable. */
  get script(): string {
    return SCRIPTS[this.language].replaceAll('FOLDER', this.#folder);
  }

  /** What it was told at each start, in order. */
  async runs(): Promise<readonly (readonly Context[])[]> {
    const folder = join(this.#folder, 'runs');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    const inOrder = names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    const texts = await Promise.all(inOrder.map((name) => readFile(join(folder, name), 'utf8')));
    return texts.map((text) => JSON.parse(text) as readonly Context[]);
  }

  /** What it was told at all starts, once there are `count` at least. */
  async started(count: number): Promise<readonly (readonly Context[])[]> {
    return eventually(async () => {
      const runs = await this.runs();
      return runs.length >= count && runs;
    }, PATIENT);
  }

  /** All contexts of all starts, once there are `count` at least. */
  async contexts(count: number): Promise<readonly Context[]> {
    return eventually(async () => {
      const contexts = (await this.runs()).flat();
      return contexts.length >= count && contexts;
    }, PATIENT);
  }

  /** The environment of its last start, by the names of the variables. */
  async environment(): Promise<readonly string[]> {
    const text = await readFile(join(this.#folder, 'environment'), 'utf8');
    return text.split('\n').filter((name) => name !== '');
  }

  /** What it leaves at start `at`, counted from 1; by default at every start that has no answer of its own. */
  async answer(
    { patches = '', metrics = '', exitCode = 0 }: Answer,
    at: number | 'else' = 'else',
  ): Promise<void> {
    const text = typeof patches === 'string' ? patches : patches.map(documentOf).join('');
    const files = { patches: text, metrics, exit: String(exitCode) };
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.#folder, 'answers', `${at}-${name}`);
      await writeFile(`${path}.new`, content);
      await rename(`${path}.new`, path); // a start never reads half of it
    }
  }

  /** Its start `at`, counted from 1, waits at its end until what this resolves to is called. */
  async hold(at: number): Promise<() => Promise<void>> {
    const pipe = join(this.#folder, `held-${at}`);
    await run('mkfifo', [pipe]);
    // Opening it for writing waits until the hook reads.
    return () => writeFile(pipe, '');
  }
}

/** On a machine that others use, too. */
const PATIENT = { timeoutMs: 30_000 };

const documentOf = (document: object): string => `${JSON.stringify(document)}\n`;

const SCRIPTS: Readonly<Record<Language, string>> = {
  node: `#!/usr/bin/env node
const fs = require('node:fs');
const { env } = process;
if (process.argv[2] === '--config') {
  process.stdout.write(fs.readFileSync('FOLDER/config.yaml'));
  process.exit(0);
}
const at = fs.readdirSync('FOLDER/runs').length + 1;
fs.writeFileSync('FOLDER/environment', Object.keys(env).join('\\n'));
fs.copyFileSync(env.BINDING_CONTEXT_PATH, 'FOLDER/next');
fs.renameSync('FOLDER/next', \`FOLDER/runs/\${at}.json\`);
const held = \`FOLDER/held-\${at}\`;
if (fs.existsSync(held)) fs.readFileSync(held);
const answer = (name) =>
  [\`FOLDER/answers/\${at}-\${name}\`, \`FOLDER/answers/else-\${name}\`].find((path) => fs.existsSync(path));
const patches = answer('patches');
if (patches !== undefined) fs.copyFileSync(patches, env.KUBERNETES_PATCH_PATH);
const metrics = answer('metrics');
if (metrics !== undefined) fs.copyFileSync(metrics, env.METRICS_PATH);
const exit = answer('exit');
process.exitCode = exit === undefined ? 0 : Number(fs.readFileSync(exit, 'utf8'));
`,
  bash: `#!/usr/bin/env bash
set -euo pipefail
if [[ "\${1:-}" == --config ]]; then cat FOLDER/config.yaml; exit 0; fi
at=$(( $(ls FOLDER/runs | wc -l) + 1 ))
compgen -e > FOLDER/environment
cp "$BINDING_CONTEXT_PATH" FOLDER/next
mv FOLDER/next "FOLDER/runs/$at.json"
if [[ -p FOLDER/held-$at ]]; then cat FOLDER/held-$at; fi
answer() { if [[ -e FOLDER/answers/$at-$1 ]]; then cat "FOLDER/answers/$at-$1"; else cat "FOLDER/answers/else-$1" 2>/dev/null || true; fi; }
answer patches > "$KUBERNETES_PATCH_PATH"
answer metrics > "$METRICS_PATH"
code=$(answer exit)
exit "\${code:-0}"
`,
  python: `#!/usr/bin/env python3
import os, shutil, sys
if sys.argv[1:] == ["--config"]:
    sys.stdout.write(open("FOLDER/config.yaml").read())
    sys.exit(0)
at = len(os.listdir("FOLDER/runs")) + 1
open("FOLDER/environment", "w").write("\\n".join(os.environ))
shutil.copyfile(os.environ["BINDING_CONTEXT_PATH"], "FOLDER/next")
os.rename("FOLDER/next", f"FOLDER/runs/{at}.json")
if os.path.exists(f"FOLDER/held-{at}"):
    open(f"FOLDER/held-{at}").read()
def answer(name):
    for path in (f"FOLDER/answers/{at}-{name}", f"FOLDER/answers/else-{name}"):
        if os.path.exists(path):
            return open(path).read()
    return ""
open(os.environ["KUBERNETES_PATCH_PATH"], "w").write(answer("patches"))
open(os.environ["METRICS_PATH"], "w").write(answer("metrics"))
sys.exit(int(answer("exit") or "0"))
`,
};

/** A context in one line: `crops Event Added south`. */
export function inShort({ binding, type, watchEvent, object, objects }: Context): string {
  const names = objects?.map((each) => each.object?.metadata.name ?? '?') ?? [];
  const parts = [binding, type, watchEvent, object?.metadata.name, ...names];
  return parts.filter((part) => part !== undefined).join(' ');
}
