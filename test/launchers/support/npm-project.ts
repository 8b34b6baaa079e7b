/** A project outside of the repository in which npm and npx find `chancery`, and the processes that they start. */
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chancery/testing';
import { BIN, type Child, start } from '../../cli/child.ts';
import { OPERATOR, Project, word } from '../../dev/support/project.ts';

/** npm starts in a second, on a machine that others use in several. */
export const PATIENT = { timeoutMs: 35_000 };

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** It serves until it is ended, and has a child of its own, as a kubectl with a plugin for credentials. */
const KUBECTL = `#!/bin/sh
if [ "$1" = version ]; then
  echo '{"clientVersion":{"gitVersion":"v1.33.1"}}'
  exit 0
fi
echo "Starting to serve on 127.0.0.1:1"
sleep 1000 &
while :; do sleep 1000; done
`;

/** It never ends by itself, and has a child in a session of its own. */
const HOOK = `#!/bin/sh
if [ "$1" = --config ]; then
  echo '{"configVersion":"v1","onStartup":1}'
  exit 0
fi
setsid sleep 1000 &
echo the hook works >&2
while :; do sleep 1000; done
`;

export class NpmProject {
  readonly #project: Project;
  readonly #mark = randomUUID();

  /** @param scripts - of package.json. */
  constructor(scripts: Readonly<Record<string, string>> = {}) {
    this.#project = new Project({
      'package.json': JSON.stringify({ name: 'demo', version: '1.0.0', type: 'module', scripts }),
      'src/operator.ts': OPERATOR,
      'src/word.ts': word('one'),
      'hooks/work': HOOK,
      kubectl: KUBECTL,
    });
    for (const name of ['hooks/work', 'kubectl']) chmodSync(this.path(name), 0o755);
    mkdirSync(this.path('node_modules/.bin'), { recursive: true });
    symlinkSync(REPOSITORY, this.path('node_modules/chancery'));
    symlinkSync(BIN, this.path('node_modules/.bin/chancery'));
    symlinkSync(process.execPath, this.path('node_modules/.bin/node'));
  }

  path(name: string): string {
    return this.#project.path(name);
  }

  /** The text of a file; empty when there is none. */
  read(name: string): string {
    return existsSync(this.path(name)) ? this.#project.read(name) : '';
  }

  /** Starts a command line in the folder of the project. */
  start(words: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
    const [program = '', ...args] = words;
    return start(
      program,
      args,
      {
        HOME: this.#project.folder,
        KUBECTL: this.path('kubectl'),
        MARK: this.#mark,
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
        ...env,
      },
      this.#project.folder,
    );
  }

  /** The processes that were started by `start`, and by those. */
  processes(): readonly number[] {
    const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
    return pids.map(Number).filter((pid) => environmentOf(pid).includes(`MARK=${this.#mark}`));
  }

  /** Resolves when none of them is left. */
  async ended(): Promise<void> {
    await eventually(() => this.processes().length === 0, PATIENT);
  }

  killAll(): void {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return []; // it has ended, or belongs to another user
  }
}

/** Resolves when a line of its output has this text. */
export async function says(child: Child, text: string): Promise<void> {
  const lines = (): readonly string[] => [...child.stdout.lines, ...child.stderr.lines];
  await eventually(() => lines().some((line) => line.includes(text)), PATIENT).catch((cause) => {
    throw new Error(`it did not say ${JSON.stringify(text)}:\n${lines().join('\n')}`, { cause });
  });
}
