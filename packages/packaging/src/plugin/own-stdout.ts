import process from 'node:process';
import type { Writable } from 'node:stream';
import type { PluginResponse } from '../kubebuilder/protocol.ts';

/** Until it is disposed, stdout can only be written through this object. */
interface OwnStdout extends Disposable {
  /** Resolves when the answer is written, or when it cannot be written. */
  write(response: PluginResponse): Promise<void>;
}

/**
 * Reserves stdout for one answer. Other output to stdout of the process, such as a `console.log` in
 * a library, is redirected to stderr.
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
