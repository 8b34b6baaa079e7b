import process from 'node:process';
import type { Writable } from 'node:stream';
import type { PluginResponse } from '../kubebuilder/protocol.ts';

/** The only way to write to stdout until it is disposed of. */
interface OwnStdout extends Disposable {
  /** Resolves when the answer is written, or cannot be. */
  write(response: PluginResponse): Promise<void>;
}

/**
 * Keeps stdout for one answer. What anything else writes to the stdout of the process meanwhile, such as a
 * `console.log` in a library, ends up in stderr.
 */
export function ownStdout(stdout: Writable): OwnStdout {
  const { write } = stdout;
  if (stdout === process.stdout) stdout.write = process.stderr.write.bind(process.stderr);
  return {
    write: (response) =>
      new Promise((resolve) => {
        write.call(stdout, `${JSON.stringify(response)}\n`, 'utf8', () => resolve());
      }),
    [Symbol.dispose]: () => {
      stdout.write = write;
    },
  };
}
