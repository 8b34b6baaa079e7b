/** Which processes above a command are watched, and what their end means. `test/launchers/` has real ones. */
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { watchAncestors } from '../../operator/cli/ancestors/ancestor-watch.ts';
import { ancestorsOf } from '../../operator/cli/ancestors/ancestors.ts';
import type { ProcessTable } from '../../operator/cli/ancestors/process-table.ts';
import { isBelowNohup } from '../../operator/cli/process-end.ts';
import { invoke } from './invocation.ts';

interface Row {
  parent: number;
  /** Default: that of the parent. */
  group?: number;
  session?: number;
  startedAt?: string;
  /** Default: that of the parent. `null`: another user's. */
  env?: readonly string[] | null;
  /** `null`: it is awake. */
  sleeps?: number | null;
  /** Children of which it has asked for the exit code. */
  reaped?: number;
}

/** A table of processes that a test changes. */
class Processes implements ProcessTable {
  readonly rows = new Map<number, Row>();

  constructor(rows: Readonly<Record<number, Row>>) {
    for (const [pid, row] of Object.entries(rows)) this.rows.set(Number(pid), { ...row });
    for (const pid of this.rows.keys()) this.#complete(pid);
  }

  /** As the system does: its children get process 1 as their parent. */
  end(pid: number): void {
    this.rows.delete(pid);
    for (const row of this.rows.values()) if (row.parent === pid) row.parent = 1;
  }

  wake(...pids: readonly number[]): void {
    for (const pid of pids) {
      const row = this.rows.get(pid);
      if (row !== undefined) row.sleeps = (row.sleeps ?? 0) + 1;
    }
  }

  find(pid: number) {
    const row = this.rows.get(pid);
    if (row === undefined) return undefined;
    const { parent, group = 0, session = 0, startedAt = 'once' } = row;
    return { pid, parent, group, session, startedAt };
  }

  environmentOf(pid: number) {
    return this.rows.get(pid)?.env ?? undefined;
  }

  sleepsOf(pid: number) {
    const { sleeps = 0 } = this.rows.get(pid) ?? {};
    return sleeps ?? undefined;
  }

  reapedBy(pid: number) {
    return String(this.rows.get(pid)?.reaped ?? 0);
  }

  /** Two, numbered after their process. */
  threadsOf(pid: number) {
    return [pid * 1_000, pid * 1_000 + 1].filter((id) => this.rows.has(id));
  }

  #complete(pid: number): Row | undefined {
    const row = this.rows.get(pid);
    if (row === undefined) return undefined;
    const above = this.#complete(row.parent);
    row.group ??= above?.group ?? 0;
    row.session ??= above?.session ?? 0;
    if (row.env === undefined) row.env = above?.env ?? [];
    return row;
  }
}

const RUN = ['PATH=/bin', 'npm_lifecycle_event=serve', 'npm_lifecycle_script=chancery apiserver'];
const EXEC = ['PATH=/bin', 'npm_lifecycle_event=npx', 'npm_lifecycle_script=chancery'];
const INIT = { 1: { parent: 0, group: 1, session: 1 } };
/** An interactive shell, 10, with what the user types in a process group of its own. */
const TERMINAL = { ...INIT, 10: { parent: 1, group: 10, session: 10, env: ['PATH=/bin'] } };

const launchersOf = (rows: Readonly<Record<number, Row>>, pid: number): readonly number[] =>
  ancestorsOf(pid, new Processes(rows))?.launchers.map((each) => each.pid) ?? [];

test.each<[string, Readonly<Record<number, Row>>, number, readonly number[]]>([
  [
    'npx, which starts it directly',
    { 20: { parent: 10, group: 20 }, 21: { parent: 20, env: EXEC } },
    21,
    [20],
  ],
  [
    'npm, with a shell in between',
    { 20: { parent: 10, group: 20 }, 21: { parent: 20, env: RUN }, 22: { parent: 21 } },
    22,
    [20],
  ],
  [
    'npm and the npx of its script',
    {
      20: { parent: 10, group: 20 },
      21: { parent: 20, env: RUN },
      22: { parent: 21 },
      23: { parent: 22, env: EXEC },
    },
    23,
    [22, 20],
  ],
  [
    'node --run',
    { 20: { parent: 10, group: 20 }, 21: { parent: 20, env: ['NODE_RUN_SCRIPT_NAME=a'] } },
    21,
    [20],
  ],
  [
    "npm, with another user's program in between",
    { 20: { parent: 10, group: 20 }, 21: { parent: 20, env: null }, 22: { parent: 21, env: RUN } },
    22,
    [20],
  ],
  [
    'npx in the script of a shell',
    { 20: { parent: 10, group: 20 }, 21: { parent: 20 }, 22: { parent: 21, env: EXEC } },
    22,
    [21],
  ],
  [
    'npm in the group of a program that tests',
    { 20: { parent: 10, group: 20 }, 21: { parent: 20 }, 22: { parent: 21, env: RUN } },
    22,
    [21],
  ],
  [
    'nothing, if a shell is above the command',
    { 20: { parent: 10, group: 20 }, 21: { parent: 20 } },
    21,
    [],
  ],
  [
    'nothing, if another kind of variable differs',
    { 20: { parent: 10, group: 20 }, 21: { parent: 20, env: ['npm_config_yes=true', 'A=b'] } },
    21,
    [],
  ],
  [
    "nothing, if setsid moved it out of npm's session",
    {
      20: { parent: 10, group: 20 },
      21: { parent: 20, env: RUN },
      22: { parent: 21, group: 22, session: 22 },
    },
    22,
    [],
  ],
  [
    'nothing, if a shell with job control is below npm',
    { 20: { parent: 10, group: 20 }, 21: { parent: 20, env: RUN }, 22: { parent: 21, group: 22 } },
    22,
    [],
  ],
])('[found 13] launchersOf finds the npm processes and shells above a command: %s', (_, rows, pid, launchers) => {
  expect(launchersOf({ ...TERMINAL, ...rows }, pid)).toEqual(launchers);
});

test('[found 13] for process 1 of a container, no ancestors are watched', () => {
  const found = ancestorsOf(1, new Processes({ 1: { parent: 0, group: 1, env: RUN } }));

  expect(found).toEqual({
    launchers: [],
    shells: [],
    parent: undefined,
    lostLauncher: false,
    lostParent: false,
  });
});

/** npm is 20, its shell 21, and the command 22; the program that started npm is 15. */
function belowNpm(): Processes {
  return new Processes({
    ...TERMINAL,
    15: { parent: 10, group: 15 },
    20: { parent: 15 },
    21: { parent: 20, env: RUN },
    22: { parent: 21 },
    22000: { parent: 22 },
    22001: { parent: 22 },
  });
}

/** The same without npm: a shell, 21, has started the command. */
function belowShell(): Processes {
  return new Processes({ ...TERMINAL, 21: { parent: 10, group: 21 }, 22: { parent: 21 } });
}

function watched(table: ProcessTable, includesParent = false) {
  const clock = new FakeClock();
  const gone: string[] = [];
  const stop = watchAncestors({
    clock,
    env: {},
    includesParent,
    table,
    pid: 22,
    parentId: () => table.find(22)?.parent ?? 0,
    onGone: (why) => gone.push(why),
  });
  return { clock, gone, stop };
}

test("[found 13] the end of npm is noticed at the next check and only once, even if npm's shell stays", () => {
  const table = belowNpm();
  const { clock, gone } = watched(table);
  clock.advance(10_000);
  expect(gone).toEqual([]);

  table.end(20);
  clock.advance(250);
  clock.advance(10_000);

  expect(gone).toEqual(['process 20, which started this one, has ended']);
});

test("[found 13] a new process with npm's process id is not taken for npm", () => {
  const table = belowNpm();
  const { clock, gone } = watched(table);

  table.rows.set(20, { ...table.rows.get(20), parent: 1, startedAt: 'later' });
  clock.advance(250);

  expect(gone).toHaveLength(1);
});

test('[found 13] the end of the shell between npm and the command is ignored', () => {
  const table = belowNpm();
  const { clock, gone } = watched(table);

  table.end(21);
  clock.advance(10_000);

  expect(gone).toEqual([]);
});

test('[found 13] the end of npm is noticed at once if npm ended while the command started', () => {
  const table = belowNpm();
  table.end(20);

  expect(watched(table).gone).toHaveLength(1);
  table.end(21);
  expect(watched(table).gone).toHaveLength(1);
});

test('[found 13] the end of a shell without npm is noticed only with `--exit-with-parent`', () => {
  const table = belowShell();
  const [without, within] = [watched(table), watched(table, true)];

  table.end(21);
  without.clock.advance(10_000);
  within.clock.advance(250);

  expect(without.gone).toEqual([]);
  expect(within.gone).toHaveLength(1);
  expect(watched(table).gone).toEqual([]);
  expect(watched(table, true).gone).toHaveLength(1); // it had ended before the command looked
});

test('[found 13] `--exit-with-parent` in an npm script watches the process that started npm', () => {
  const table = belowNpm();
  const [without, within] = [watched(table), watched(table, true)];

  table.end(15);
  for (const { clock } of [without, within]) clock.advance(250);

  expect(without.gone).toEqual([]);
  expect(within.gone).toEqual(['process 15, which started this one, has ended']);
});

test('[found 13] after the watch of ancestors was stopped, the end of npm is not reported', () => {
  const table = belowNpm();
  const { clock, gone, stop } = watched(table);

  stop();
  table.end(20);
  clock.advance(10_000);

  expect(gone).toEqual([]);
});

test('[found 13] without `/proc`, only the parent process of a command in an npm script is watched', () => {
  const none: ProcessTable = {
    find: () => undefined,
    environmentOf: () => undefined,
    sleepsOf: () => undefined,
    reapedBy: () => undefined,
    threadsOf: () => [],
  };
  const clock = new FakeClock();
  let parent = 21;
  const gone: string[] = [];
  const common = { clock, table: none, parentId: () => parent };
  const watch = (name: string, env: Record<string, string>, includesParent: boolean): unknown =>
    watchAncestors({ ...common, env, includesParent, onGone: () => gone.push(name) });
  watch('below npm', { npm_command: 'exec' }, false);
  watch('alone', {}, false);
  watch('with its parent', {}, true);

  clock.advance(10_000);
  expect(gone).toEqual([]);
  parent = 1;
  clock.advance(250);

  expect(gone).toEqual(['below npm', 'with its parent']);
});

test("[found 13] a signal is noticed even if npm passed it on, but npm's shell did not pass it on", () => {
  const table = belowNpm();
  const { clock, gone } = watched(table);
  clock.advance(250);
  clock.advance(250);

  table.wake(20, 21);
  clock.advance(250);
  clock.advance(250);

  expect(gone).toEqual(['npm was asked to stop, and its shell kept the signal']);
});

test("[found 13] a signal is noticed even if npm gets it before a check, and npm's shell gets it after the check", () => {
  const table = belowNpm();
  const { clock, gone } = watched(table);
  clock.advance(250);

  table.wake(20);
  clock.advance(250);
  table.wake(21);
  for (let look = 0; look < 2; look++) clock.advance(250);

  expect(gone).toHaveLength(1);
});

test.each<[string, (table: Processes) => void]>([
  ['only npm wakes up', (table) => table.wake(20)],
  ['only the shell wakes up', (table) => table.wake(21)],
  [
    'npm wakes up while another child of the shell ends',
    (table) => {
      table.wake(20, 21);
      (table.rows.get(21) as Row).reaped = 1;
    },
  ],
  ['all processes and threads were suspended', (table) => table.wake(20, 21, 22_000, 22_001)],
])('[found 13] if %s, that does not count as a signal, and the next signal is noticed', (_, happens) => {
  const table = belowNpm();
  const { clock, gone } = watched(table);
  clock.advance(250);
  clock.advance(250);

  happens(table);
  for (let look = 0; look < 4; look++) clock.advance(250);
  expect(gone).toEqual([]);
  table.wake(20, 21, 22_001);
  for (let look = 0; look < 2; look++) clock.advance(250);

  expect(gone).toHaveLength(1);
});

test('[found 13] if it is unknown whether all threads of the processes slept, their waking does not count as a signal', () => {
  const table = belowNpm();
  for (const thread of [22_000, 22_001]) table.rows.delete(thread);
  const { clock, gone } = watched(table);
  clock.advance(250);

  table.wake(20, 21);
  for (let look = 0; look < 4; look++) clock.advance(250);

  expect(gone).toEqual([]);
});

test("[found 13] if npm's shell begins to sleep only after the command started, its waking does not count as a signal", () => {
  const table = belowNpm();
  const shell = table.rows.get(21) as Row;
  shell.sleeps = null;
  const { clock, gone } = watched(table);

  table.wake(20);
  shell.sleeps = 1;
  for (let look = 0; look < 4; look++) clock.advance(250);

  expect(gone).toEqual([]);
});

test('[found 13] `nohup` is recognised by the variable `_`, which bash and zsh set to the program', () => {
  expect(isBelowNohup({ _: '/usr/bin/nohup' })).toBe(true);
  expect(isBelowNohup({ _: '/usr/bin/npx' })).toBe(false);
  expect(isBelowNohup({})).toBe(false);
});

test('[found 13] every long-running command has the option `--exit-with-parent`, and no other command has it', async () => {
  let calls = 0;
  const exitWithParent = (): void => void calls++;
  const apiserver = invoke(['apiserver', '--exit-with-parent', '--port', 'x'], { exitWithParent });
  const run = invoke(['run', 'missing.ts', '--', '--exit-with-parent'], { exitWithParent });
  const lint = invoke(['lint', '--exit-with-parent'], { exitWithParent });

  expect(await Promise.all([apiserver.exit, run.exit, lint.exit])).toEqual([2, 2, 2]);
  expect(calls).toBe(1);
  expect(apiserver.stderr.lines.join()).toContain('--port must be a whole number');
  expect(lint.stderr.lines.join()).toContain("unknown option '--exit-with-parent'");
});
