import type { Run, Write } from './bookkeeping.ts';
import type { LogLine } from './pod.ts';

/** What the hooks of one runner have written to standard output, put together from the lines of its log. */
export class HookLog {
  readonly runs: Run[] = [];
  /** Names of variables that a hook has seen. */
  readonly variables: string[] = [];
  /** Paths of files that a hook has seen. */
  readonly files: string[] = [];
  /** Every line of every hook. */
  readonly lines: string[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes one line of the runner's log. */
  take({ msg, line }: LogLine): void {
    if (msg !== 'the hook wrote' || typeof line !== 'string') return;
    this.lines.push(line);
    const [word = '', rest = ''] = line.split(' ', 2);
    if (word === ':::') this.runs.push({ atMs: this.#now(), writes: [] });
    else if (word === 'variable') this.variables.push(rest.split('=')[0] ?? '');
    else if (word === 'file') this.files.push(rest);
    else if (line.startsWith('{')) this.#write(writeIn(line));
  }

  #write(write: Write): void {
    const run = this.runs.pop();
    if (run === undefined) throw new Error('the hook wrote a patch before its first line');
    this.runs.push({ ...run, writes: [...run.writes, write] });
  }
}

interface Patch {
  readonly name: string;
  readonly mergePatch: {
    readonly spec: {
      readonly template: {
        readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
      };
    };
  };
}

/** A patch as config-watcher.sh prints it. */
function writeIn(line: string): Write {
  const { name, mergePatch } = JSON.parse(line) as Patch;
  const [value = ''] = Object.values(mergePatch.spec.template.metadata.annotations);
  return { target: name, value };
}
