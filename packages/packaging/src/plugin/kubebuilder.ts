import { Buffer } from 'node:buffer';
import { basename } from 'node:path';
import process from 'node:process';
import { messageOf, OperatorError } from 'chancery';
import { describeError, type ExitCode, type Io } from 'chancery/internal';
import { answer, failure } from '../kubebuilder/answer.ts';
import type { PluginRequest, PluginResponse } from '../kubebuilder/protocol.ts';
import { readRequest } from '../kubebuilder/read-request.ts';
import { ownStdout } from './own-stdout.ts';

/** The streams and variables of the process that are needed to answer a request. */
interface RequestIo extends Pick<Io, 'stderr' | 'env'> {
  readonly stdin: AsyncIterable<Uint8Array | string>;
}

/** `chancery plugin kubebuilder`: answers one request. `main.ts` runs it in a process. */
export async function answerKubebuilder(io: Io): Promise<ExitCode> {
  using stdout = ownStdout(io.stdout);
  await stdout.write(await respondToKubebuilder(io));
  return 0;
}

/**
 * The answer to the request on stdin. Never rejects: a failure is also sent as an answer, and the
 * process then ends with exit code 0. With another exit code, kubebuilder drops the answer and its
 * message.
 */
export async function respondToKubebuilder({
  stdin,
  stderr,
  env,
}: RequestIo): Promise<PluginResponse> {
  let request: PluginRequest | undefined;
  try {
    request = await readRequest(bytesOf(stdin));
    const { response, messages } = await answer(request, {
      typescript: async () => (await import('./typescript-scaffold.ts')).typescriptScaffold(env),
      folderName: basename(process.cwd()),
    });
    for (const message of messages) stderr.write(`chancery.dev: ${message}\n`);
    return response;
  } catch (error) {
    const command = request?.command ?? '';
    if (error instanceof OperatorError) return failure(command, [describeError(error)]);
    stderr.write(`chancery.dev: ${error instanceof Error ? error.stack : String(error)}\n`);
    return failure(command, [
      `chancery failed because of a bug in it, please report it: ${messageOf(error)}`,
    ]);
  }
}

async function* bytesOf(stdin: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stdin) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
