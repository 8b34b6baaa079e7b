import { execFile } from 'node:child_process';
import { type Provisioner, ProvisionerError } from './provisioner.ts';
import { type Answer, MAX_ANSWER_BYTES, type RemoteOptions, remoteProvisioner } from './remote.ts';

/**
 * A program that is given each request on its standard input, and answers on its standard output. No
 * shell, and no secret among the arguments, where every process of the machine could read it.
 */
export function execProvisioner(
  [file, ...words]: readonly [string, ...string[]],
  options?: RemoteOptions,
): Provisioner {
  return remoteProvisioner((request, signal) => run(file, words, request, signal), options);
}

function run(
  file: string,
  words: readonly string[],
  input: string,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { signal, maxBuffer: MAX_ANSWER_BYTES, killSignal: 'SIGKILL' } as const;
    const child = execFile(file, words, options, (error, text) => {
      if (error === null) resolve({ text });
      else if (typeof error.code === 'number')
        resolve({ text, failure: `exit code ${error.code}` });
      // No cause: what Node says of it repeats what the program wrote.
      else reject(new ProvisionerError(`the provisioner failed: ${error.code ?? error.signal}`));
    });
    child.stdin?.on('error', () => {}); // one that does not read its input may answer all the same
    child.stdin?.end(input);
  });
}
