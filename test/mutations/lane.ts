import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { reportFrom } from '../lanes/vitest-report.ts';
import { mutate } from './checkout.ts';
import type { Mutation } from './list.ts';
import { type Importers, nearestFirst } from './related.ts';

const VITEST = 'node_modules/vitest/vitest.mjs';
/** Most faults are found by the nearest files; starting vitest anew costs as much as ten of them. */
const FILES_AT_ONCE = [12, 60, Number.POSITIVE_INFINITY];
/** A fault may leave a test without an end. */
const LIMIT_MS = 15 * 60_000;

/** What a run of vitest came to: a failed file, that it did not end, or nothing. */
type Outcome = { readonly failed: string } | 'endless' | undefined;

/** The tests of some projects of vitest, in a copy of the checkout. */
export class Lane {
  readonly #copy: string;
  readonly #importers: Importers;
  readonly #projects: readonly string[];
  readonly #files: ReadonlySet<string>;
  /** Files that fail without a fault, or now and then: a busy machine makes some fail. */
  readonly #failing = new Set<string>();

  constructor(copy: string, importers: Importers, projects: readonly string[]) {
    this.#copy = copy;
    this.#importers = importers;
    this.#projects = projects.map((name) => `--project=${name}`);
    const listed = execFileSync(
      process.execPath,
      [VITEST, 'list', '--filesOnly', '--json', ...this.#projects],
      { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 26 },
    );
    const files = JSON.parse(listed) as readonly { readonly file: string }[];
    this.#files = new Set(files.map(({ file }) => relative(copy, file)));
  }

  /** The file of tests that fails with the fault and passes without it. */
  async finderOf(mutation: Mutation): Promise<string | undefined> {
    let left = nearestFirst(this.#importers, mutation.file, this.#files);
    for (const count of FILES_AT_ONCE) {
      const finder = await this.#finderIn(left.slice(0, count), mutation);
      if (finder !== undefined) return finder;
      left = left.slice(count);
    }
    return undefined;
  }

  async #finderIn(files: readonly string[], mutation: Mutation): Promise<string | undefined> {
    for (;;) {
      const asked = files.filter((file) => !this.#failing.has(file));
      if (asked.length === 0) return undefined;
      const outcome = await this.#runWith(mutation, asked);
      if (outcome === undefined) return undefined;
      if (outcome === 'endless') return 'a test that does not end';
      const { failed } = outcome;
      const isByFault =
        (await this.#run([failed])) === undefined &&
        (await this.#runWith(mutation, [failed])) !== undefined;
      if (isByFault) return failed;
      this.#failing.add(failed);
    }
  }

  #runWith(mutation: Mutation, files: readonly string[]): Promise<Outcome> {
    const restore = mutate(this.#copy, mutation);
    return this.#run(files).finally(restore);
  }

  async #run(files: readonly string[]): Promise<Outcome> {
    const report = join(this.#copy, 'mutation-report.json');
    rmSync(report, { force: true });
    const options = ['--bail=1', '--maxWorkers=1', '--reporter=json', `--outputFile=${report}`];
    const child = spawn(
      process.execPath,
      [VITEST, 'run', ...this.#projects, ...options, ...files],
      { cwd: this.#copy, stdio: 'ignore', detached: true },
    );
    const kill = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    };
    process.once('exit', kill);
    const limit = setTimeout(kill, LIMIT_MS);
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(limit);
    process.off('exit', kill);
    if (code === null) return 'endless';
    if (code === 0) return undefined;
    const { testResults } = reportFrom(readFileSync(report, 'utf8'));
    const failed = testResults.find(({ status }) => status === 'failed') ?? testResults[0];
    return { failed: relative(this.#copy, failed?.name ?? files[0] ?? '') };
  }
}
