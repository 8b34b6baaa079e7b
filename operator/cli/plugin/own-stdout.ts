import process from 'node:process';
import type { Writable } from 'node:stream';

/** The only way to write to stdout until it is disposed of. */
interface OwnStdout extends Disposable {
  write(text: string): void;
}

/**
 * Keeps stdout for one answer. What anything else writes to the stdout of the process meanwhile, such as a
 * `console.log` in a library, ends up in stderr.
 */
export function ownStdout(stdout: Writable): OwnStdout {
  if (stdout !== process.stdout) {
    return { write: (text) => void stdout.write(text), [Symbol.dispose]: () => {} };
  }
  const { stderr } = process;
  const { write } = process.stdout;
  process.stdout.write = stderr.write.bind(stderr);
  return {
    write: (text) => void write.call(stdout, text),
    [Symbol.dispose]: () => {
      process.stdout.write = write;
    },
  };
}
