/** The guides for running operators, and their commands run as somebody types them. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BIN, type Child, start } from '../cli/child.ts';
import { copyExamples, exampleFolder, guide } from './guide.ts';

export const running: string = guide('guides/operate/running.md');
export const observing: string = guide('guides/operate/observing.md');

/** The indented lines of a guide that begin with `beginning`. */
export function commandsOf(text: string, beginning: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`    ${beginning}`))
    .map((line) => line.trim());
}

/** The examples of `guides/operate/running.md`, beside a `chancery` that is a command. */
export function folder(): string {
  const made = exampleFolder();
  copyExamples('guides/operate/running.md', made);
  mkdirSync(join(made, 'bin'));
  symlinkSync(BIN, join(made, 'bin', 'chancery'));
  return made;
}

/** @param tools - a folder with programs that the command starts. */
export function shell(
  command: string,
  place: string,
  env: Readonly<Record<string, string>>,
  tools: string = join(place, 'bin'),
): Child {
  const own = [join(place, 'bin'), tools, dirname(process.execPath)];
  const PATH = [...own, process.env.PATH].join(':');
  return start('sh', ['-c', `cd '${place}' && exec ${command}`], { ...env, PATH });
}
