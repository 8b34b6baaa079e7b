import process from 'node:process';
import type { Writable } from 'node:stream';
import type { PluginResponse } from '../kubebuilder/protocol.ts';

/** Until this object is disposed, only its `write` can write to stdout. */
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
