/** Programs that a release starts. A missing program is always reported. */
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** How much of what a failing program said is repeated. */
const LAST_LINES = 8;

/** Its path: its variable (`BUILDAH` for buildah), or the first on the PATH; undefined when it is not here. */
export function findProgram(
  name: string,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const named = env[name.toUpperCase()];
  if (named !== undefined && named !== '') return isExecutable(named) ? named : undefined;
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/**
 * What a program prints on its standard output.
 *
 * @throws Error with the last lines that the program said, when it fails.
 */
export async function output(
  program: string,
  args: readonly string[],
  { cwd, env = process.env }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    said.push(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return printed;
  throw new ProgramFailure(
    `${program} ${args[0] ?? ''} ended with exit code ${code}`,
    said.join(''),
  );
}

/** A program that ended with a failure. Its message has the last lines that the program said. */
export class ProgramFailure extends Error {
  /** Everything on both outputs, in the order in which it came. */
  readonly said: string;

  constructor(what: string, said: string) {
    super(`${what}:\n${said.trim().split('\n').slice(-LAST_LINES).join('\n')}`);
    this.said = said;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
