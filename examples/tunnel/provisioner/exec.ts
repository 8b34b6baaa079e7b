import { OperatorError } from 'chancery';
import { runProgram } from 'chancery/low-level';
import { type Call, type Provisioner, ProvisionerError } from './provisioner.ts';
import { type Answer, MAX_ANSWER_BYTES, type RemoteOptions, remoteProvisioner } from './remote.ts';

export interface ExecOptions extends RemoteOptions {
  /** The environment of the program, such as the credentials of its provider. Default: empty. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A program that is given each request on its standard input, and answers on its standard output. No
 * shell, and no secret among the arguments, where every process of the machine could read it.
 */
export function execProvisioner(
  [program, ...args]: readonly [string, ...string[]],
  { env = {}, ...options }: ExecOptions = {},
): Provisioner {
  return remoteProvisioner(
    (input, call) => answerOf({ program, args, env, input, ...call }),
    options,
  );
}

async function answerOf(
  request: Call & {
    readonly program: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly input: string;
  },
): Promise<Answer> {
  try {
    // The time limit is that of every remote provisioner.
    const limits = { timeoutMs: 0, outputLimitBytes: MAX_ANSWER_BYTES };
    const { exitCode, stdout } = await runProgram({ ...request, ...limits });
    return exitCode === 0 ? { text: stdout } : { text: stdout, failure: `exit code ${exitCode}` };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new ProvisionerError(`the provisioner failed: ${error.message}`, { cause: error });
  }
}
