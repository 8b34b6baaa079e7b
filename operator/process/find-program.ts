import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import process from 'node:process';
import { ProgramError } from './program-error.ts';

/** Linux reads at most this many bytes of a file to find its interpreter: `BINPRM_BUF_SIZE`. */
const HEAD_BYTES = 256;

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

interface Wanted {
  readonly program: string;
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The absolute path of a program that the system can start. This function detects two mistakes that the
 * system would hide: the C library runs a file without an interpreter by `/bin/sh`, and reports a missing
 * interpreter as if the file itself were missing.
 *
 * @throws ProgramError `not-started`. The message says what to change.
 */
export async function findProgram({ program, cwd = process.cwd(), env }: Wanted): Promise<string> {
  const path = program.includes('/')
    ? resolve(cwd, program)
    : await inPath(program, cwd, env.PATH ?? '');
  const problem = await problemOf(path);
  if (problem !== undefined) throw notStarted(path, problem);
  return path;
}

/** @param code - the code of the system's error, if there was one. */
export function notStarted(program: string, problem: string, code?: string): ProgramError {
  return new ProgramError(`${program} cannot be started: ${problem}`, {
    reason: 'not-started',
    context: { program, ...(code !== undefined && { code }) },
  });
}

async function inPath(name: string, cwd: string, path: string): Promise<string> {
  for (const folder of path.split(delimiter)) {
    const candidate = resolve(cwd, folder, name);
    if ((await isExecutable(candidate)) && (await isFile(candidate))) return candidate;
  }
  throw notStarted(name, `no folder of PATH (${path}) has it`);
}

async function problemOf(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return 'it is no file';
  } catch {
    return 'it does not exist';
  }
  if (!(await isExecutable(path))) {
    return 'it is not executable: use chmod +x, in a volume of a ConfigMap defaultMode: 0755, and mount no volume noexec';
  }
  const head = await headOf(path);
  return head === undefined ? undefined : problemOfHead(head);
}

/**
 * The beginning of a file as Latin-1, so that each byte is one character. Undefined if the file may be
 * executed but not read.
 */
async function headOf(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    return undefined;
  }
}

async function problemOfHead(head: string): Promise<string | undefined> {
  if (isBinary(head)) return undefined;
  if (head.startsWith(`${BYTE_ORDER_MARK}#!`)) {
    return 'a byte order mark stands before its #!: save it as UTF-8 without that mark';
  }
  const [line = ''] = head.split('\n', 1);
  const [, interpreter] = /^#![ \t]*([^ \t]+)/.exec(line) ?? [];
  if (interpreter === undefined) {
    return 'it has no #! line: write one, such as #!/usr/bin/env bash, as its first';
  }
  if (line.endsWith('\r')) {
    return 'its #! line ends with a carriage return: save it with the line endings of Unix';
  }
  if (await isExecutable(interpreter)) return undefined;
  return `its interpreter ${interpreter} does not exist, or is not executable`;
}

/**
 * True if a file begins like an executable: ELF on Linux, and the 64-bit formats of macOS, with either byte
 * order, for one or several processor types.
 */
function isBinary(head: string): boolean {
  return /^(?:\u007fELF|\u00cf\u00fa\u00ed\u00fe|\u00fe\u00ed\u00fa\u00cf|\u00ca\u00fe\u00ba[\u00be\u00bf])/.test(
    head,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
