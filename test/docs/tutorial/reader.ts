/** A reader of the tutorial: saves its files, types its commands, and compares what they print. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventually } from '@chancery/testing';
import { type Background, background } from '../../scaffold/support/outside.ts';
import type { Block } from './blocks.ts';
import { missingLine } from './expected-output.ts';

/** Commands that change nothing: they are typed again until they succeed, and show what the page shows. */
const READS = /^(?:kubectl (?:get|describe|-n \S+ get|auth|wait)|curl -s |cat )/;
const PATIENT = { timeoutMs: 60_000 };

/** A terminal that runs one command, and how much of its text the page has shown. */
interface Terminal {
  readonly program: Background;
  seen: number;
}

export interface ReaderOptions {
  /** An empty folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The commands that replace those which need a registry or a fixed port. */
  readonly typed: (line: string, folder: string) => string;
}

export class Reader {
  folder: string;
  readonly #env: Record<string, string>;
  readonly #typed: ReaderOptions['typed'];
  readonly #terminals = new Map<string, Terminal>();
  /** What the last commands printed, and the last of them. */
  #printed = '';
  #last = '';

  constructor({ folder, env, typed }: ReaderOptions) {
    this.folder = folder;
    this.#env = { ...env };
    this.#typed = typed;
  }

  /** @throws Error with the block and what was printed, when it is not as the page says. */
  async follow(block: Block): Promise<void> {
    switch (block.kind) {
      case 'file':
        return this.#save(block.path, block.text);
      case 'commands':
        this.#printed = '';
        for (const [at, line] of block.lines.entries()) {
          const isLast = at === block.lines.length - 1;
          this.#printed += await this.#type(line, isLast && block.fails);
        }
        return;
      case 'terminal':
        return this.#typeIn(block.terminal, block.line);
      case 'output':
        return block.terminal === undefined
          ? this.#compare(block.text)
          : this.#compareTerminal(block.terminal, block.text);
    }
  }

  /** What a command prints. @throws Error when it fails, or when `fails` and it does not. */
  async run(line: string, fails: boolean = false): Promise<string> {
    const { code, text } = await new Promise<{ code: unknown; text: string }>((resolve) => {
      execFile('sh', ['-c', line], { cwd: this.folder, env: this.#env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, text: `${stdout}${stderr}` }),
      );
    });
    if ((code !== 0) === fails) return text;
    throw new Error(`${line}\nended with ${code}:\n${text}\n${this.#shown()}`);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#terminals.values()].map(({ program }) => program.interrupt()));
  }

  async #save(path: string, text: string): Promise<void> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, this.#typed(text, this.folder));
  }

  async #type(line: string, fails: boolean): Promise<string> {
    this.#last = line;
    const [, folder] = /^cd (\S+)$/.exec(line) ?? [];
    if (folder !== undefined) {
      this.folder = join(this.folder, folder);
      return '';
    }
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) {
      this.#env[name] = value.replace('$PWD', this.folder);
      return '';
    }
    const typed = this.#typed(line, this.folder);
    // What it reads may not be there yet.
    if (READS.test(line) && !fails) return eventually(() => this.run(typed), PATIENT);
    return this.run(typed, fails);
  }

  async #typeIn(name: string, line: string): Promise<void> {
    await this.#terminals.get(name)?.program.interrupt();
    if (line === '# Ctrl-C') return;
    const program = background(this.#typed(line, this.folder), this.folder, this.#env);
    this.#terminals.set(name, { program, seen: 0 });
  }

  async #compare(shown: string): Promise<void> {
    let missing = missingLine(shown, this.#printed);
    if (missing === undefined) return;
    await eventually(async () => {
      if (!READS.test(this.#last)) return false;
      this.#printed = await this.#type(this.#last, false);
      missing = missingLine(shown, this.#printed);
      return missing === undefined;
    }, PATIENT).catch((cause: unknown) => {
      throw new Error(
        `${this.#last}\ndid not print\n${missing}\nbut\n${this.#printed}\n${this.#shown()}`,
        { cause },
      );
    });
  }

  async #compareTerminal(name: string, shown: string): Promise<void> {
    const terminal = this.#terminals.get(name);
    if (terminal === undefined) throw new Error(`nothing runs in terminal ${name}`);
    const { program, seen } = terminal;
    const missing = (): string | undefined => missingLine(shown, program.text().slice(seen));
    await eventually(() => missing() === undefined, PATIENT).catch((cause: unknown) => {
      const text = `terminal ${name} does not show\n${missing()}`;
      throw new Error(`${text}\n${this.#shown()}`, { cause });
    });
    terminal.seen = program.text().length;
  }

  #shown(): string {
    return [...this.#terminals]
      .map(([name, { program }]) => `terminal ${name}:\n${program.text()}`)
      .join('\n');
  }
}
