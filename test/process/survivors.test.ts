/** A run is over when none of its processes is left. Linux only, as the docs say. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { executable, marked, runScript, testFolder } from './support.ts';

test('[hooks 22] processes that outlive a program are ended, whether or not they are in its process group', async () => {
  const { env, alive } = marked();
  const script = 'sleep 100 & setsid sleep 100 & (setsid sleep 100 &) & echo done';

  const answer = await runScript(script, { env });

  expect(answer).toMatchObject({ exitCode: 0, stdout: 'done\n', survivors: 3 });
  expect(await alive()).toBe(0);
});

test('[hooks 22] a process that closed its output and ignores signals is found by its environment variable', async () => {
  const { env, alive } = marked();
  const daemon = "trap '' TERM HUP INT; touch up; while :; do sleep 100; done";
  const folder = await testFolder();
  const script = `setsid sh -c "${daemon}" </dev/null >/dev/null 2>&1 &
    while [ ! -e up ]; do sleep 0.01; done`;

  const answer = await runScript(script, { env, cwd: folder });

  expect(answer.exitCode).toBe(0);
  expect(answer.survivors).toBeGreaterThanOrEqual(1);
  expect(await alive()).toBe(0);
});

test('[hooks 22] a process that escapes by repeatedly starting a successor is caught', async () => {
  const { env, alive } = marked();
  const folder = await testFolder();
  const jump = '[ "$1" -gt 0 ] && setsid "$0" $(($1 - 1)) & exit 0';
  const path = await executable(join(folder, 'jump'), `#!/bin/sh\n${jump}\n`);

  await runScript(`"${path}" 200`, { env });

  expect(await alive()).toBe(0);
});

test('[hooks 22] if the processes of a program keep starting successors and ending, the last successor is ended, too', async () => {
  const { env, alive } = marked();
  const folder = await testFolder();
  const flee = '[ "$1" = 0 ] && exec sleep 100; "$0" $(($1 - 1)) & exit 0';
  const path = await executable(join(folder, 'flee'), `#!/bin/sh\n${flee}\n`);

  // Whether the last one is found in time is a matter of luck, unless it is looked for again.
  for (let times = 0; times < 5; times++) {
    await runScript(`setsid "${path}" 10 </dev/null >/dev/null 2>&1 &`, { env });
  }

  expect(await alive()).toBe(0);
});

test("[hooks 22] a process in the program's group is ended, whatever its environment", async () => {
  const folder = await testFolder();
  const inner = 'echo $$ > pid; exec sleep 100';
  const script = `env -i /bin/sh -c '${inner}' & while [ ! -s pid ]; do sleep 0.01; done`;

  await runScript(script, { cwd: folder });
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));

  await eventually(async () => !(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
});

test('[hooks S9] at its time limit a program is ended together with processes that left its group', async () => {
  const { env, alive } = marked();

  const run = runScript('setsid sleep 100 & sleep 100', { env, timeoutMs: 50 });

  await expect(run).rejects.toMatchObject({ reason: 'timeout' });
  expect(await alive()).toBe(0);
});

test('a process with another group and another environment escapes, and does not block the run', async () => {
  const clock = new FakeClock();
  const folder = await testFolder();
  const script = `env -i /bin/sh -c 'setsid /bin/sh -c "echo \\$\\$ > pid; exec sleep 100" &'; echo done`;

  const running = runScript(script, { clock, cwd: folder });
  const pid = Number(
    await eventually(async () => (await readFile(join(folder, 'pid'), 'utf8')).trim() || false),
  );
  onTestFinished(() => {
    process.kill(pid, 'SIGKILL');
  });
  const answer = await eventually(async () => {
    clock.advance(1_000);
    return await Promise.race([
      running,
      new Promise<false>((resolve) => setImmediate(resolve, false)),
    ]);
  });

  expect(answer).toMatchObject({ exitCode: 0, stdout: 'done\n', survivors: 0 });
});

test('if a program writes through a background process, the last lines of that process are kept', async () => {
  const script = 'mkfifo pipe; (sleep 0.02; sed s/^/more:/ < pipe) & echo line > pipe';

  const answer = await runScript(script, { cwd: await testFolder() });

  expect(answer).toMatchObject({ stdout: 'more:line\n', survivors: 0 });
});
