import { execFile } from 'node:child_process';
import { BARE } from './kubectl-process.ts';

export interface Ended {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command that ends by itself. */
export async function run(
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = BARE,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { env: { ...env } }, (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode, stdout, stderr });
    });
  });
}
