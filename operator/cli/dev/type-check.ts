import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { GuardedChild } from '../child/guarded-child.ts';

export interface TypeCheckOptions {
  /** The folder of the project. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (text: string) => void;
  /** Print colours. */
  readonly pretty: boolean;
}

/**
 * Checks the types of a project with the project's TypeScript, in parallel with the operator: one
 * `tsc --noEmit` per save, at a lower priority than the operator. If a check is still running at
 * the next save, it is ended.
 */
export class TypeCheck {
  readonly #options: TypeCheckOptions;
  readonly #compiler: string | undefined;
  #running: GuardedChild | undefined;
  #hadErrors = false;

  constructor(options: TypeCheckOptions) {
    this.#options = options;
    this.#compiler = compilerOf(options.folder);
  }

  /** The reason why types are not checked. Undefined when they are checked. */
  get whyNot(): string | undefined {
    return this.#compiler === undefined
      ? 'types are not checked: the project has no tsconfig.json, or no TypeScript (npm install --save-dev typescript)'
      : undefined;
  }

  start(): void {
    void this.#check();
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.kill();
  }

  async #check(): Promise<void> {
    if (this.#compiler === undefined) return;
    const { folder, environment, say, pretty } = this.#options;
    void this.#running?.kill();
    const child = new GuardedChild({
      program: process.execPath,
      args: [this.#compiler, '--noEmit', '--pretty', String(pretty)],
      cwd: folder,
      env: environment,
    });
    this.#running = child;
    lowerPriority(child.pid);
    const [output, errors, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      child.exit,
    ]);
    if (this.#running !== child) return; // a newer save has started another check
    this.#running = undefined;
    if (code === 0) {
      if (this.#hadErrors) say('no type errors any more');
    } else {
      say(`type errors:\n${`${output}${errors}`.trimEnd()}`);
    }
    this.#hadErrors = code !== 0;
  }
}

/**
 * Lowers the priority of the guard process. The compiler, which the guard starts, inherits the
 * priority.
 */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended, or the system does not allow this change.
  }
}

function compilerOf(folder: string): string | undefined {
  if (!existsSync(join(folder, 'tsconfig.json'))) return undefined;
  try {
    const file = createRequire(join(folder, 'package.json')).resolve('typescript/package.json');
    const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin?: { tsc?: string } };
    return bin?.tsc === undefined ? undefined : join(dirname(file), bin.tsc);
  } catch {
    return undefined;
  }
}
