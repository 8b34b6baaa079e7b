/** The sessions that pictures of the documents show: what is typed, what happens meanwhile, and what is printed. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { masked } from './masks.ts';
import { Terminal } from './terminal.ts';
import type { TerminalPicture } from './terminal-picture.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BIN = join(ROOT, 'operator/cli/chancery.js');

export interface Session {
  /** Its file in `docs/images/`, without `.svg`. */
  readonly name: string;
  readonly title: string;
  readonly command: string;
  /** Runs the command. @returns what it has printed. */
  readonly run: () => Promise<readonly string[]>;
}

export const SESSIONS: readonly Session[] = [
  {
    name: 'session-start',
    title:
      'npm start: an API server, kubectl proxy and an operator start; a ConfigMap changes, and three Pods are replaced one after the other',
    command: 'npm start',
    run: runDemo,
  },
  {
    name: 'session-dev',
    title:
      'chancery dev: the operator reconciles the sample; its source is saved, it starts again and reconciles with the new code',
    command: 'chancery dev --samples samples/',
    run: runDev,
  },
];

/** A session of now, as a picture shows it. */
export async function record({ title, command, run }: Session): Promise<TerminalPicture> {
  return { title, command, lines: masked(await run()) };
}

async function runDemo(): Promise<readonly string[]> {
  // npm prints the script that it runs, unless it is silent.
  await using terminal = new Terminal('npm', ['start', '--silent'], ROOT);
  const lines = await terminal.end();
  // On a terminal it would stay up here.
  return lines.slice(
    0,
    lines.indexOf('Done. On a terminal it stays up, and these URLs can be looked at.') - 1,
  );
}

/** The project of docs/start/developing.md: it is saved once. */
async function runDev(): Promise<readonly string[]> {
  const project = developingProject();
  try {
    const args = [BIN, 'dev', '--samples', 'samples/'];
    await using terminal = new Terminal(process.execPath, args, project.folder);
    await terminal.shows(['demo/greeting looked at', 'self-test of the ambassador is done']);
    const before = terminal.lines.length;
    project.save();
    await terminal.shows(['demo/greeting seen', 'self-test of the ambassador is done'], before);
    terminal.interrupt();
    return await terminal.end();
  } finally {
    rmSync(project.folder, { recursive: true, force: true });
  }
}

function developingProject(): { readonly folder: string; save(): void } {
  const page = readFileSync(join(ROOT, 'docs/start/developing.md'), 'utf8');
  const blockOf = (info: string): string => {
    const [, block] = new RegExp(`^\`\`\`${info}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
    if (block === undefined) throw new Error(`docs/start/developing.md has no block ${info}`);
    return block;
  };
  // In the package, where `chancery` is found by its name.
  const folder = mkdtempSync(join(ROOT, '.guide-'));
  const operator = blockOf('ts operator.ts');
  for (const name of ['src', 'samples']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'src/operator.ts'), operator);
  writeFileSync(join(folder, 'samples/config.yaml'), blockOf('yaml'));
  return {
    folder,
    save: () =>
      writeFileSync(join(folder, 'src/operator.ts'), operator.replace("'looked at'", "'seen'")),
  };
}
