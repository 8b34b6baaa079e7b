/**
 * `npm run GROUP -- [NAME] [ARGUMENT...]` for the groups of `scripts.ts`. Arguments go to each command of the name.
 *
 * `--help` in place of a name lists the names.
 *
 * Exit codes: that of the first command that fails; 2 for a name that is missing or unknown.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { GROUPS, type Group } from './scripts.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const [, , groupName = '', ...words] = process.argv;
const group = GROUPS[groupName];

process.exitCode =
  group === undefined
    ? refuse(`nothing is named ${groupName}; there are: ${Object.keys(GROUPS).join(', ')}\n`)
    : await runIn(group);

async function runIn({ usual, scripts }: Group): Promise<number> {
  const [first = ''] = words;
  if (first === '--help' || first === '-h') {
    process.stdout.write(usageOf(scripts, usual));
    return 0;
  }
  const isNamed = first !== '' && !(usual !== undefined && first.startsWith('-'));
  if (isNamed && !Object.hasOwn(scripts, first)) {
    return refuse(`npm run ${groupName}: nothing is named ${first}\n\n${usageOf(scripts, usual)}`);
  }
  if (!isNamed && usual === undefined) return refuse(usageOf(scripts, usual));
  const rest = isNamed ? words.slice(1) : words;
  for (const name of isNamed ? [first] : (usual ?? [])) {
    for (const command of scripts[name]?.commands ?? []) {
      const exitCode = await run([...command, ...rest]);
      if (exitCode !== 0) return exitCode;
    }
  }
  return 0;
}

async function run(command: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, command, { cwd: ROOT, stdio: 'inherit' });
  const end = (): void => void child.kill('SIGTERM');
  // A terminal sends its SIGINT to the child as well: the child decides when it has ended.
  const wait = (): void => {};
  process.on('SIGTERM', end).on('SIGINT', wait);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.off('SIGTERM', end).off('SIGINT', wait);
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

function usageOf(scripts: Group['scripts'], usual: Group['usual']): string {
  const width = Math.max(...Object.keys(scripts).map(({ length }) => length));
  const lines = Object.entries(scripts).map(
    ([name, { says }]) => `  ${name.padEnd(width)}  ${says}\n`,
  );
  const without = usual === undefined ? '' : `\nWithout NAME: ${usual.join(', ')}.\n`;
  const name = usual === undefined ? 'NAME' : '[NAME]';
  return `usage: npm run ${groupName} -- ${name} [ARGUMENT...]\n\n${lines.join('')}${without}`;
}

function refuse(text: string): number {
  process.stderr.write(text);
  return 2;
}
