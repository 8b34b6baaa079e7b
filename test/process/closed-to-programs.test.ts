/** What a program learns from the process that started it. The image that closes `/proc` is in test/images and test/pod. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const at = (path: string): string =>
  JSON.stringify(fileURLToPath(new URL(`../../operator/${path}`, import.meta.url)));

/** A process of its own, so that no other test meets its signals and its environment. */
function inProcess(code: string, env: Readonly<Record<string, string>> = {}) {
  const args = ['--conditions=chancery-source', '--inspect-port=0', '--input-type=module', '-e'];
  const child = spawn(process.execPath, [...args, code], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { stdout: text(child.stdout), stderr: text(child.stderr), child };
}

const RUN = `
  import { runProgram } from ${at('process/run-program.ts')};
  import { systemClock } from ${at('core/clock.ts')};
  const run = (script) => runProgram({ program: '/bin/sh', args: ['-c', script], env: { PATH: process.env.PATH },
    clock: systemClock, signal: new AbortController().signal });
`;

test('[security 47] [found 4] a program that sends SIGUSR1 to its runner does not open the inspector of Node', async () => {
  // No listener of this test: that alone would take the signal away from Node.
  const { stdout, stderr, child } = inProcess(`${RUN}
    const idle = setInterval(() => {}, 1_000);
    const emit = process.emit;
    process.emit = function (name, ...rest) {
      if (name === 'SIGUSR1') { console.log('ignored'); clearInterval(idle); }
      return emit.call(this, name, ...rest);
    };
    await run('kill -USR1 $PPID');`);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
    if (said.includes('Debugger listening')) child.kill('SIGKILL');
  });

  expect(await stdout).toBe('ignored\n');
  expect(await stderr).toBe('');
});

test('[found 4] if the process already has a SIGUSR1 listener, no second listener is added', async () => {
  const { stdout } = inProcess(`${RUN}
    process.on('SIGUSR1', () => {});
    await run('exit 0');
    await run('exit 0');
    console.log(process.listenerCount('SIGUSR1'));`);

  expect(await stdout).toBe('1\n');
});

test.runIf(process.platform === 'linux')(
  "[found 4] a message lists the runner's variables that a program can read, but not those that were passed to the program",
  async () => {
    const { stdout } = inProcess(
      `import { exposedVariables } from ${at('process/closed-to-programs.ts')};
      process.env.SET_LATER = 'is not in /proc';
      console.log(JSON.stringify(await exposedVariables({ PATH: '', GIVEN: '' })));`,
      { PASSWORD: 'secret=1', GIVEN: 'anyway', EMPTY: '' },
    );

    const names: readonly string[] = JSON.parse(await stdout);
    expect(names).toEqual(expect.arrayContaining(['EMPTY', 'PASSWORD']));
    for (const name of ['PATH', 'GIVEN', 'SET_LATER']) expect(names).not.toContain(name);
  },
);
