/**
 * A hook of 20 lines of bash under fire: ConfigMaps change while kubectl proxy, the API server and the leader are killed
 * in turn. Counts what was missed, repeated and doubled. `npm run prove -- hooks`.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually, findKubectl } from '@chancery/testing';
import { Timeline } from '../../try/timeline.ts';
import { type DemoArguments, parseDemoArguments, USAGE } from './arguments.ts';
import { doubled, type Kill, repetitions } from './bookkeeping.ts';
import { DemoCluster, NAMESPACE } from './cluster.ts';
import { HookLog } from './hook-log.ts';
import { Pod } from './pod.ts';

const HOOKS = fileURLToPath(new URL('../hooks/', import.meta.url));
const LOOK_AROUND = fileURLToPath(new URL('look-around.sh', import.meta.url));

/** What the hook calls. */
const PROGRAMS = ['bash', 'jq', 'sha256sum'];

/** Changes that are made at once. The next ones follow when the hook has run again, or when it takes too long. */
const BURST = 2;
/** On average, so that 1,000 changes take a minute at most. */
const CHANGE_MS = 60;
/** For how long the proxy and the API server are gone. */
const DOWN_MS = 1_000;
const LIMIT_MS = 85_000;
const PATIENCE = { timeoutMs: 30_000 };

/** What hooks may see, as docs/reference/hooks.md says. What bash makes itself is in it. */
const ALLOWED =
  /^(PATH|HOME|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|HOSTNAME|POD_NAME|POD_NAMESPACE|CHANCERY_API_URL|CHANCERY_RUN|(BINDING_CONTEXT|KUBERNETES_PATCH|METRICS|VALIDATING_RESPONSE|ADMISSION_RESPONSE|CONVERSION_RESPONSE)_PATH|PWD|OLDPWD|SHLVL|_)$/;

async function main(words: readonly string[]): Promise<number> {
  const given = parseDemoArguments(words);
  if (given === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if ('wrong' in given) {
    process.stderr.write(`${given.wrong}\n\n${USAGE}`);
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'chancery-demo-hooks-'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const limit = setTimeout(() => {
    process.stderr.write(`\nthe demo failed: not done after ${LIMIT_MS / 1_000} s\n`);
    process.exit(1);
  }, LIMIT_MS);
  try {
    return await demonstrate(given, folder);
  } finally {
    clearTimeout(limit);
    await rm(folder, { recursive: true, force: true });
  }
}

async function demonstrate(given: DemoArguments, folder: string): Promise<number> {
  const kubectl = findKubectl(process.env);
  if (kubectl === undefined) throw new Error('no kubectl: install it, or set KUBECTL');
  const missing = PROGRAMS.filter((program) => spawnSync(program, ['--version']).error);
  if (missing.length > 0) throw new Error(`the hook needs ${missing.join(', ')}: install it`);
  const hooks = join(folder, 'hooks');
  await mkdir(hooks);
  for (const name of ['config-watcher.sh', 'config-watcher.sh.rights.yaml'])
    await cp(join(HOOKS, name), join(hooks, name));
  await cp(LOOK_AROUND, join(hooks, 'look-around.sh'));

  const timeline = new Timeline(process.stdout);
  timeline.say(
    `${given.changes} changes of ${given.objects} ConfigMaps; a hook of 20 lines of bash rolls a Deployment for each.\n`,
  );
  const cluster = await DemoCluster.start(hooks, join(folder, 'secret'), given.objects);
  const pods: Pod[] = [];
  const log = new HookLog(() => performance.now());
  const kills: Kill[] = [];
  const pod = async (name: string): Promise<Pod> => {
    const { kubeconfig, filter } = cluster;
    const options = { name, namespace: NAMESPACE, hooks, kubectl, kubeconfig, filter };
    const started = await Pod.start({ ...options, onLog: (line) => log.take(line) });
    pods.push(started);
    return started;
  };
  try {
    timeline.tell('API server', `speaks TLS and lets roles count, at ${cluster.server.url}`);
    const first = await pod('hooks-0');
    await eventually(() => cluster.leader === first.name, PATIENCE);
    const second = await pod('hooks-1');
    await Promise.all([first.ready(), second.ready()]);
    timeline.tell(
      'operator',
      'two Pods of kubectl proxy and chancery hooks: one leads, one stands by',
    );
    await eventually(() => cluster.missed.length === 0, PATIENCE);
    timeline.tell(
      'operator',
      `the first Synchronization is done: ${cluster.effects.length} Deployments rolled`,
    );

    const kill = async (
      what: string,
      end: () => Promise<void>,
      again: () => Promise<void>,
    ): Promise<void> => {
      const fromMs = performance.now();
      timeline.tell('you', `kill ${what}`);
      await end();
      await again();
      // All others may be made by then, and the hook would have nothing to do.
      cluster.change(0, `after ${what}`);
      await eventually(() => log.runs.some(({ atMs }) => atMs > fromMs + DOWN_MS / 2), PATIENCE);
      kills.push({ what, fromMs, untilMs: performance.now() });
      timeline.tell(
        'operator',
        `the hook runs again, after ${((performance.now() - fromMs) / 1_000).toFixed(1)} s`,
      );
    };
    const down = (): Promise<void> => pause(DOWN_MS);
    const leading = (): Pod => {
      const found = pods.find(({ name, isRunning }) => isRunning && name === cluster.leader);
      if (found === undefined) throw new Error('no Pod leads');
      return found;
    };
    const plan: readonly (() => Promise<void>)[] = [
      () => {
        const { proxy } = leading();
        return kill(
          "the leader's kubectl proxy",
          () => proxy.kill(),
          () => down().then(() => proxy.start()),
        );
      },
      () =>
        kill(
          'the API server',
          () => cluster.server.stop(),
          () => down().then(() => cluster.server.listen()),
        ),
      () => {
        const { name } = leading();
        return kill(
          `the leader, ${name}`,
          () => leading().kill(),
          async () => {
            await pod(`hooks-${pods.length}`);
            await eventually(() => cluster.leader !== name, PATIENCE);
          },
        );
      },
    ];

    const startedRuns = log.runs.length;
    const breaking: Promise<void>[] = [];
    const endsAt = performance.now() + given.changes * CHANGE_MS;
    for (let made = 0; made < given.changes; made++) {
      cluster.change(Math.floor(Math.random() * given.objects), `change ${made}`);
      const step = Math.floor(((made + 1) * (plan.length + 1)) / given.changes);
      if (step > breaking.length) {
        const next = plan[breaking.length];
        // One after another, whatever the pace of the changes.
        if (next !== undefined) breaking.push((breaking.at(-1) ?? Promise.resolve()).then(next));
      }
      if (made % BURST !== BURST - 1) continue;
      const before = log.runs.length;
      const timeoutMs = (endsAt - performance.now()) / ((given.changes - made) / BURST);
      await eventually(() => log.runs.length > before, { timeoutMs }).catch(() => {});
    }
    await Promise.all(breaking);
    timeline.tell('you', `${given.changes} changes are made`);
    await eventually(() => cluster.missed.length === 0, PATIENCE).catch(() => {});
    return report(given, timeline, { cluster, log, kills, runs: log.runs.length - startedRuns });
  } catch (error) {
    for (const { name, tail } of pods)
      for (const line of tail) process.stderr.write(`${name}: ${line}\n`);
    throw error;
  } finally {
    await Promise.all(pods.map((each) => each.stop()));
    await cluster.server.close();
  }
}

interface Outcome {
  readonly cluster: DemoCluster;
  readonly log: HookLog;
  readonly kills: readonly Kill[];
  readonly runs: number;
}

function report(
  { changes, runs: least }: DemoArguments,
  timeline: Timeline,
  outcome: Outcome,
): number {
  const { cluster, log, kills, runs } = outcome;
  const repeated = repetitions(log.runs, kills);
  const unexplained = repeated.filter(({ kill }) => kill === undefined);
  const twice = doubled(cluster.effects);
  const { missed } = cluster;
  const foreign = [...new Set(log.variables)].filter((name) => !ALLOWED.test(name));
  const tokens = log.lines.filter((line) => line.includes(cluster.token)).length;
  const tokenFiles = log.files.filter((path) => /(^|\/)(token|kubeconfig)$/.test(path));
  timeline.say(`
changes made                    ${changes}, and one after each kill
runs of the hook                ${runs}
missed final states             ${missed.length}${missed.length === 0 ? '' : `: ${missed.join(' ')}`}
repeated runs                   ${repeated.length}`);
  for (const { run, kill } of repeated) {
    const why = kill === undefined ? 'unexplained' : `explained by the kill of ${kill.what}`;
    timeline.say(`  a run with ${run.writes.length} patches: ${why}`);
  }
  timeline.say(`unexplained                     ${unexplained.length}
effects doubled in the cluster  ${twice.length}
what the hook could see         ${new Set(log.variables).size} variables, ${log.files.length} files
  outside of the allow-list     ${foreign.length}${foreign.length === 0 ? '' : `: ${foreign.join(' ')}`}
  tokens                        ${tokens + tokenFiles.length}`);
  const faults = [missed, unexplained, twice, foreign, tokenFiles].flat().length + tokens;
  const isGood = faults === 0 && runs >= least && log.variables.length > 0;
  if (runs < least) timeline.say(`\nonly ${runs} runs, ${least} are wanted`);
  return isGood ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`\nthe demo failed: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
