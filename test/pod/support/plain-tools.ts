import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { firstPathOf } from '../../tools/tools.ts';

const run = promisify(execFile);

/** Every program that a Pod is made with. util-linux, iproute2, coreutils, libc-bin, a shell; as Debian has them. */
const PROGRAMS = [
  'unshare',
  'nsenter',
  'setpriv',
  'mount',
  'umount',
  'pivot_root',
  'ip',
  'env',
  'sh',
  'cat',
  'ldd',
] as const;

export type Tool = (typeof PROGRAMS)[number];

/** Where a machine keeps its tools, and how one is run where only a folder of theirs is left. */
export interface PlainTools {
  readonly path: Readonly<Record<Tool, string>>;
  /** A tool by way of its loader, as words of a shell, on a machine whose root is at `oldRoot`. */
  readonly below: (oldRoot: string, tool: Tool) => readonly string[];
}

/** @throws Error that names what is missing. */
export async function findPlainTools(): Promise<PlainTools> {
  const found = PROGRAMS.map((program): [Tool, string | undefined] => [
    program,
    firstPathOf(program),
  ]);
  const missing = found.filter(([, path]) => path === undefined).map(([program]) => program);
  if (missing.length > 0)
    throw new Error(`these programs are not on the PATH: ${missing.join(', ')}`);
  const path = Object.fromEntries(found) as Record<Tool, string>;
  const { stdout } = await run(path.ldd, [path.sh, path.env, path.setpriv, path.umount]);
  const loader = loaderIn(stdout);
  const folders = [
    ...new Set([...stdout.matchAll(/=> (\/\S+)/g)].map(([, file = '']) => folderOf(file))),
  ];
  return {
    path,
    below: (oldRoot, tool) => [
      ...[
        `${oldRoot}${loader}`,
        '--library-path',
        folders.map((folder) => `${oldRoot}${folder}`).join(':'),
      ],
      `${oldRoot}${realpathSync(path[tool])}`,
    ],
  };
}

/** The program that maps a dynamically linked one, which a root without libraries cannot find by itself. */
function loaderIn(ldd: string): string {
  const [, loader] = /^\s+(\/\S*ld[-.]\S+) \(/m.exec(ldd) ?? [];
  if (loader === undefined) throw new Error(`ldd names no loader: ${ldd}`);
  return realpathSync(loader);
}

function folderOf(file: string): string {
  return realpathSync(join(file, '..'));
}
