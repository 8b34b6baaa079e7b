import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/** How a program ended. */
export interface Ended {
  /** undefined when it was ended because it took too long. */
  readonly code: number | undefined;
  /** Standard output and standard error, as they came. */
  readonly output: string;
}

export interface Program {
  /** The program, then its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** After that it is ended. */
  readonly timeoutMs: number;
}

/** A running program with its own process group: the processes that it starts end with it. */
export interface RunningProgram {
  /** Resolves to false when none of the patterns has come after `ms`, or the program has ended before. */
  says(patterns: readonly RegExp[], ms: number): Promise<boolean>;
  /** Sends SIGTERM. */
  stop(): void;
  readonly ended: Promise<Ended>;
}

/** Runs a program until it ends by itself, or until `timeoutMs` are over. */
export function runProgram(program: Program): Promise<Ended> {
  return startProgram(program).ended;
}

export function startProgram({ command, cwd, env, timeoutMs }: Program): RunningProgram {
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env: { ...inherited(), ...env },
    detached: true, // a group of its own, which can be ended as a whole
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let hear = (): void => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      hear();
    });
  }
  let late = false;
  const alarm = setTimeout(() => {
    late = true;
    endGroup(child.pid);
  }, timeoutMs);
  const closed = once(child, 'close');
  const endWithUs = (): void => endGroup(child.pid);
  process.once('exit', endWithUs);
  const end = async (): Promise<Ended> => {
    try {
      const [code] = (await once(child, 'exit')) as [number | null];
      endGroup(child.pid); // what it has left holds the pipes open
      await closed;
      return { code: late ? undefined : (code ?? 1), output };
    } finally {
      clearTimeout(alarm);
      process.off('exit', endWithUs);
    }
  };
  const ended = end();
  return {
    ended,
    stop: () => void child.kill('SIGTERM'),
    says: (patterns, ms) =>
      new Promise((resolve) => {
        const tell = (found: boolean): void => {
          clearTimeout(deadline);
          hear = () => {};
          resolve(found);
        };
        const deadline = setTimeout(() => tell(false), ms);
        hear = () => {
          if (patterns.some((pattern) => pattern.test(output))) tell(true);
        };
        void closed.then(() => tell(false));
        hear();
      }),
  };
}

/** What programs need from this process; nothing that points to a cluster. */
function inherited(): Readonly<Record<string, string | undefined>> {
  const { PATH, LANG = 'C.UTF-8', HOME } = process.env;
  return { PATH, LANG, HOME, TERM: 'dumb' };
}

function endGroup(id: number | undefined): void {
  if (id === undefined) return;
  try {
    process.kill(-id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const ESCAPE = String.fromCharCode(27);
const COLOURS = new RegExp(`${ESCAPE}\\[[0-9;]*m|${ESCAPE}\\(B`, 'g');

/** The last lines of an output, without escape sequences and empty lines. */
export function lastLines(output: string, count = 12): string {
  const lines = output
    .replaceAll(COLOURS, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.slice(-count).join('\n');
}
