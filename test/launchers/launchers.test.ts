/**
 * Commands that work until they are stopped, started by npm, npx and others, in processes of their own. The end of
 * the outermost process ends all of them, and closes the pipes that it was given.
 */
import process from 'node:process';
import { ApiServer, eventually } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BIN, type Child } from '../cli/child.ts';
import { NpmProject, PATIENT, says } from './support/npm-project.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const;

/** Each command, and what it says when it has started all that it starts. */
const COMMANDS = {
  apiserver: { line: 'apiserver --port 0', says: 'http://127.0.0.1:' },
  proxy: { line: 'proxy src/operator.ts', says: 'Starting to serve' },
  dev: { line: 'dev src/operator.ts', says: 'the operator runs' },
  run: { line: 'run src/operator.ts', says: 'controller started' },
  hooks: { line: 'hooks hooks --hook-env MARK', says: 'the hook works' },
  metacontroller: { line: 'metacontroller', says: 'resource is not served' },
  watch: { line: 'watch cm', says: 'source is healthy' },
} as const;
type Name = keyof typeof COMMANDS;

/** The words by which `chancery LINE` is started, with `LINE` as the script `serve` of package.json. */
const LAUNCHERS: Readonly<Record<string, (line: string) => readonly string[]>> = {
  npx: (line) => ['npx', 'chancery', ...line.split(' ')],
  'npm exec': (line) => ['npm', 'exec', '--', 'chancery', ...line.split(' ')],
  'npm run': () => ['npm', 'run', 'serve'],
  'the bare command': (line) => [process.execPath, BIN, ...line.split(' ')],
};

/** Starts a command in a new project, and waits until it works. */
async function working(
  name: Name,
  launcher: string,
  scripts: Readonly<Record<string, string>> = {},
): Promise<{ project: NpmProject; child: Child }> {
  const { line, says: text } = COMMANDS[name];
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const project = new NpmProject({ serve: `chancery ${line}`, ...scripts });
  onTestFinished(() => project.killAll());
  const words = LAUNCHERS[launcher]?.(line) ?? launcher.split(' ');
  const child = project.start(words, { CHANCERY_API_URL: server.url });
  await says(child, text);
  return { project, child };
}

describe.runIf(process.platform === 'linux')('[found 13] when a launcher ends', () => {
  test.each(
    Object.keys(LAUNCHERS).flatMap((launcher) =>
      SIGNALS.map((signal) => [launcher, signal] as const),
    ),
  )('apiserver started by %s leaves no process behind after %s', async (launcher, signal) => {
    const { project, child } = await working('apiserver', launcher);
    expect(project.processes().length).toBeGreaterThan(0);

    child.kill(signal);

    await project.ended();
    await child.exit; // which waits for the end of its output
  });

  test.each(
    (['proxy', 'dev', 'run', 'hooks', 'metacontroller', 'watch'] as const).flatMap((name) =>
      (
        [
          ['npx', 'SIGTERM'],
          ['npx', 'SIGKILL'],
          ['the bare command', 'SIGKILL'],
        ] as const
      ).map(([launcher, signal]) => [launcher, signal, name] as const),
    ),
  )('a command started by %s leaves no process behind after %s: %s', async (launcher, signal, name) => {
    const { project, child } = await working(name, launcher);
    expect(project.processes().length).toBeGreaterThan(0);

    child.kill(signal);

    await project.ended();
    await child.exit;
  });

  test.each([
    ['npm run both', { both: 'true && chancery apiserver --port 0; true' }],
    ['npm run behind', { behind: 'chancery apiserver --port 0 & wait' }],
    ['npm run nested', { nested: 'npm run serve; true' }],
    ['npm run again', { again: 'npx chancery apiserver --port 0; true' }],
    ['node --run serve', {}],
  ])('apiserver started by "%s" leaves no process behind after SIGTERM or SIGKILL', async (words, scripts) => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const { project, child } = await working('apiserver', words, scripts);

      child.kill(signal);

      await project.ended();
      await child.exit;
    }
  });
});

/** The URL that an apiserver has written into a file. */
async function urlIn(project: NpmProject, file: string): Promise<string> {
  return eventually(() => /http:\S+/.exec(project.read(file))?.[0], PATIENT);
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/version`).then(
    (response) => response.ok,
    () => false,
  );
}

describe.runIf(process.platform === 'linux')('[found 13] a server started by a shell', () => {
  test.each([
    ['with &', 'chancery'],
    ['with nohup', 'nohup chancery'],
    ['with setsid', 'setsid chancery'],
    ['with npx and &', 'npx chancery'],
    ['with nohup and npx', 'nohup npx chancery'],
    ['with setsid and npx', 'setsid npx chancery'],
  ])('a server started %s continues when its shell ends, but ends with the shell if it has --exit-with-parent', async (_, words) => {
    const project = new NpmProject();
    onTestFinished(() => project.killAll());
    const server = (more: string): string => `${words} apiserver --port 0 ${more}`;
    const script = `PATH="$PWD/node_modules/.bin:$PATH"
      ${server('')} > without 2>&1 &
      ${server('--exit-with-parent').replace('setsid ', '')} > within 2>&1 &
      wait`;
    const shell = project.start(['sh', '-c', script]);
    const [without, within] = [await urlIn(project, 'without'), await urlIn(project, 'within')];

    shell.kill('SIGKILL');
    await shell.exit;

    await eventually(async () => !(await answers(within)), PATIENT);
    expect(await answers(without)).toBe(true);
  });

  test('a server started with nohup continues after SIGHUP, and ends after SIGTERM', async () => {
    const project = new NpmProject();
    onTestFinished(() => project.killAll());
    const script = '"$BIN" --version; nohup "$BIN" apiserver --port 0 > out 2>&1 & echo $!; wait';
    const shell = project.start(['bash', '-c', script]);
    const url = await urlIn(project, 'out');
    const pid = Number(shell.stdout.lines.at(-1));

    process.kill(pid, 'SIGHUP');
    for (let times = 0; times < 20; times++) expect(await answers(url)).toBe(true);
    process.kill(pid, 'SIGTERM');

    await project.ended();
  });
});

test.runIf(process.platform === 'linux').each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '[found 13] after %s a server ends with exit code 0',
  async (signal) => {
    const { child } = await working('apiserver', 'the bare command');

    child.kill(signal);

    expect(await child.exit).toBe(0);
  },
);
