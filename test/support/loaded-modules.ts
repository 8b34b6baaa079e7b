/** What a script in an installed project prints, and what it loads. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs before a script and prints, when it is over, what has been loaded. */
const OBSERVER = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
process.on('exit', () => process.stdout.write(JSON.stringify(loaded)));
`;

/** Output of a module that finds the package as `chancery`. */
export async function outputOf(
  installed: string,
  script: string,
  ...flags: readonly string[]
): Promise<string> {
  const args = [...flags, '--input-type=module', '-e', script];
  const { stdout } = await run(process.execPath, args, { cwd: installed });
  return stdout;
}

/** The modules that a script has loaded. */
export interface LoadedModules {
  /** Of ours, below `dist/operator`. */
  readonly own: readonly string[];
  readonly packages: readonly string[];
  readonly undici: readonly string[];
  readonly builtin: readonly string[];
}

/** Runs a script in the project `installed`. */
export async function loadedModules(installed: string, script: string): Promise<LoadedModules> {
  await writeFile(join(installed, 'observe.mjs'), OBSERVER);
  const all: readonly string[] = JSON.parse(
    await outputOf(installed, script, '--import=./observe.mjs'),
  );
  const files = all.filter((url) => url.startsWith('file:'));
  const others = files.filter((url) => !url.includes('/node_modules/chancery/'));
  const ofPackages = others.flatMap(
    (url) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [],
  );
  return {
    own: files.flatMap((url) => /\/chancery\/dist\/operator\/(.*)$/.exec(url)?.[1] ?? []),
    packages: [...new Set(ofPackages.filter((_match, index) => index % 2 === 1))].toSorted(),
    undici: files.flatMap((url) => /\/node_modules\/undici\/(.*)$/.exec(url)?.[1] ?? []),
    builtin: all.filter((url) => url.startsWith('node:')),
  };
}
