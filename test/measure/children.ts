/**
 * What children that are as they should be cost: the CPU time of a reconcile of one parent with 20,000 ConfigMaps that
 * changes nothing, and the memory of what was applied for 50,000 objects. The embedded API server is a process of its
 * own. `npm run measure -- children`, or with another number of children behind it; see docs/performance.md.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually, startOperator } from '@chancery/testing';
import { child } from '../../operator/composite/child.ts';
import { composite } from '../../operator/composite/composite.ts';
import { AppliedMemory } from '../../operator/controller/children/applied-memory.ts';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import type { Desired } from '../../operator/controller/reconciler.ts';
import { source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { serviceAccounts } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { machineLoad, row } from './figures.ts';

const [, , CHILDREN = 20_000] = process.argv.map(Number);
const REMEMBERED = 50_000;
const RUNS = 5;

process.stdout.write(`Node ${process.version}, load ${machineLoad()}: median (least - most)\n`);
process.stdout.write(row('bytes an applied object', bytesAnObject()));
const server = fork(new URL('children-server.ts', import.meta.url));
const [url] = (await once(server, 'message')) as [string];
try {
  const data = { text: 'x'.repeat(300), more: 'y'.repeat(200) };
  const leaves = (parent: string): readonly Desired<ConfigMap>[] =>
    Array.from({ length: CHILDREN }, (_, at) => ({ metadata: { name: `${parent}-${at}` }, data }));
  const [ofTree, ofGrove] = [leaves('tree'), leaves('grove')];
  let cpuMs = 0;
  const measured = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    cpuMs = (user + system) / 1_000;
    return result;
  };
  const applying = controller({
    name: 'applying',
    for: source(serviceAccounts, { labelSelector: 'measured=tree' }),
    owns: [configMaps],
    reconcileTimeoutMs: 3_600_000,
    async reconcile(_object, { applyOwned }) {
      await measured(async () => {
        for (const each of ofTree) await applyOwned(configMaps, each);
      });
    },
  });
  const declared = composite({
    name: 'composing',
    parent: source(serviceAccounts, { labelSelector: 'measured=grove' }),
    children: [configMaps],
    reconcileTimeoutMs: 3_600_000,
    sync: () => ({ children: ofGrove.map((each) => child(configMaps, each)) }),
  });
  const { reconcile } = declared;
  const composed = {
    ...declared,
    reconcile: (...given: Parameters<typeof reconcile>) =>
      measured(async () => reconcile(...given)),
  } as Controller;
  await report('applyOwned', 'tree', applying as unknown as Controller, () => cpuMs);
  await report('a composite', 'grove', composed, () => cpuMs);
} finally {
  server.kill();
}
process.stdout.write(`load ${machineLoad()}\n`);

/** CPU milliseconds of reconciles that change nothing, after one that has made sure of all children. */
async function report(
  name: string,
  parent: string,
  declared: Controller,
  cpuMs: () => number,
): Promise<void> {
  const operator = startOperator({ url, controllers: [declared] });
  const total = (): number =>
    operator.meter.value('controller_runtime_reconcile_total', { controller: declared.name });
  const requests = (): number => operator.meter.value('rest_client_requests_total');
  const figures: number[] = [];
  const sent: number[] = [];
  await eventually(() => total() > 0, { timeoutMs: 3_600_000 });
  for (let run = 0; run <= RUNS; run++) {
    const [reconciles, before] = [total(), requests()];
    const body = JSON.stringify({ metadata: { annotations: { run: `${name} ${run}` } } });
    const path = `/api/v1/namespaces/default/serviceaccounts/${parent}`;
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    await fetch(`${url}${path}`, { method: 'PATCH', headers, body });
    await eventually(() => total() > reconciles, { timeoutMs: 600_000 });
    if (run === 0) continue; // the caches have the last writes by now
    figures.push(cpuMs());
    sent.push(requests() - before);
  }
  await operator.stop();
  process.stdout.write(row(`${name}: CPU ms of ${CHILDREN} children`, figures));
  process.stdout.write(row(`${name}: requests`, sent));
}

function bytesAnObject(): readonly number[] {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const stated = (at: number): KubernetesObject =>
    ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `leaf-${at}`, namespace: 'default' },
      data: { text: `${at}` },
    }) as KubernetesObject;
  return Array.from({ length: RUNS }, () => {
    const cached = Array.from({ length: REMEMBERED }, (_, at) => {
      const uid = crypto.randomUUID();
      const object = stated(at);
      const metadata = { ...object.metadata, uid, resourceVersion: `${1e6 + at}` };
      // As it arrives: the texts of an object that was put together share and hold parts.
      return JSON.parse(JSON.stringify({ ...object, metadata })) as KubernetesObject;
    });
    const memory = new AppliedMemory();
    memory.follow(configMaps);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (const [at, object] of cached.entries()) {
      const answer = JSON.parse(JSON.stringify(object)) as KubernetesObject;
      memory.remember(configMaps, answer, stated(at));
      if (!memory.isApplied(configMaps, object, stated(at))) throw new Error('it is forgotten');
    }
    collect();
    const bytes = (process.memoryUsage().heapUsed - before) / REMEMBERED;
    for (const { metadata } of cached) memory.forget(metadata.uid ?? '');
    return bytes;
  });
}
