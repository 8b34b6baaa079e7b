/** How runs follow each other, with real hooks at a cluster. packages/hooks/test/engine has every rule, on a clock of its own. */
import { eventually, FakeClock, failure, ScriptedServer } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { forwardTo } from '../../../examples/testing/refusing-line.ts';
import { CROPS, field } from './support/farm.ts';
import { type HooksPlace, inShort, LANGUAGES, startHooks } from './support/place.ts';

const CONFIG = `configVersion: v1\nkubernetes:${CROPS}`;
const MAY_PATCH = `
rules:
- { apiGroups: [''], resources: [configmaps], verbs: [patch] }
`;
const OF_RUN = { hook: 'a.sh', binding: 'crops', queue: 'main' } as const;

const count = ({ operator }: HooksPlace, name: string, labels: object = OF_RUN): number =>
  operator.meter.value(`shell_operator_${name}`, { ...labels }) ?? 0;

test.each(
  LANGUAGES,
)('[hooks 6] a %s hook that fails twice is retried after 5 s and after 6 to 7 s, and later tasks wait', async (language) => {
  const clock = new FakeClock();
  const place = await startHooks({ language, recorders: { 'a.sh': CONFIG }, clock });
  const hook = place.hook('a.sh');
  await hook.started(1);
  await hook.answer({ exitCode: 3 }, 2);
  await hook.answer({ exitCode: 3 }, 3);
  const failures = (number: number) =>
    eventually(() => count(place, 'hook_run_errors_total') === number);

  await place.apply(field('north', '1'));
  await failures(1);
  await place.apply(field('south', '1'));
  await eventually(() => queued(place) === 2);
  await clock.advanceAndSettle(4_999);
  const early = (await hook.runs()).length;
  await clock.advanceAndSettle(1);
  await failures(2);
  await clock.advanceAndSettle(5_999);
  const second = (await hook.runs()).length;
  await clock.advanceAndSettle(1_001);
  const all = await hook.contexts(5);

  expect([early, second]).toEqual([2, 3]);
  expect(all.map(inShort)).toEqual([
    'crops Synchronization',
    'crops Event Added north',
    'crops Event Added north',
    'crops Event Added north',
    'crops Event Added south',
  ]);
});

test('[hooks 7] with allowFailure, the next task starts at once after a failure', async () => {
  const clock = new FakeClock(); // it stands still: a pause would never end
  const config = `${CONFIG}\n  allowFailure: true`;
  const place = await startHooks({ recorders: { 'a.sh': config }, clock });
  const hook = place.hook('a.sh');
  await hook.started(1);
  await hook.answer({ exitCode: 1 }, 2);

  await place.apply(field('north', '1'));
  await hook.contexts(2);
  await place.apply(field('south', '1'));
  const all = await hook.contexts(3);

  expect(all.map(inShort).slice(1)).toEqual(['crops Event Added north', 'crops Event Added south']);
  expect(count(place, 'hook_run_allowed_errors_total')).toBe(1);
  expect(count(place, 'hook_run_errors_total')).toBe(0);
});

test('[hooks 8] a long run delays only its queue', async () => {
  const config = (queue: string) => `${CONFIG}\n  queue: ${queue}`;
  const place = await startHooks({ recorders: { 'a.sh': config('slow'), 'b.sh': config('fast') } });
  const [slow, fast] = [place.hook('a.sh'), place.hook('b.sh')];
  await slow.started(1);
  await fast.started(1);
  const release = await slow.hold(2);

  await place.apply(field('north', '1'));
  await slow.started(2);
  await place.apply(field('south', '1'));
  await fast.contexts(3);
  const meanwhile = (await slow.runs()).length;
  await release();
  const all = await slow.contexts(3);

  expect(meanwhile).toBe(2);
  expect(all.map(inShort).slice(1)).toEqual(['crops Event Added north', 'crops Event Added south']);
});

test('[hooks 13] when the third of five documents meets a conflict twice, only this document is sent again, and the hook starts once', async () => {
  const clock = new FakeClock();
  const server = new ScriptedServer();
  await server.start();
  onTestFinished(() => server.close());
  const conflict = failure({
    code: 409,
    reason: 'Conflict',
    message: 'the object has been modified',
  });
  const place = await startHooks({
    recorders: { 'a.sh': 'configVersion: v1\nonStartup: 1' },
    files: { 'a.sh.rights.yaml': MAY_PATCH },
    clock,
    stopped: true,
    between: async (url) => {
      server.on({ method: 'PATCH', path: /field-3$/, nth: [1, 2] }, conflict);
      server.on({}, forwardTo(url));
      return server.url;
    },
  });
  const { namespace } = place;
  const names = [1, 2, 3, 4, 5].map((at) => `field-${at}`);
  for (const name of names) await place.apply(field(name, '1'));
  const patches = names.map((name) => ({
    operation: 'MergePatch',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace,
    name,
    mergePatch: { data: { trees: '2' } },
  }));
  await place.hook('a.sh').answer({ patches });
  const sent = () =>
    server.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path.at(-1));
  place.startOperator();

  await eventually(() => hookRows(place)[0]?.lastError?.includes('document=3') === true);
  await eventually(() => {
    clock.advance(1_000);
    return sent().length === 7;
  });
  await place.idle();

  expect(sent()).toEqual(['1', '2', '3', '3', '3', '4', '5']);
  expect(await place.hook('a.sh').runs()).toHaveLength(1);
});

test('[hooks 14] a file whose second document is cut off is not sent at all', async () => {
  const place = await startHooks({
    recorders: { 'a.sh': CONFIG },
    files: { 'a.sh.rights.yaml': MAY_PATCH },
    stopped: true,
  });
  const { namespace } = place;
  await place.apply(field('north', '1'));
  const patch = {
    operation: 'MergePatch',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace,
    name: 'north',
    mergePatch: { data: { trees: '2' } },
  };
  await place.hook('a.sh').answer({ patches: `${JSON.stringify(patch)}\n{"operation": "Dele` });
  place.startOperator();

  await eventually(() => count(place, 'hook_run_errors_total') === 1);
  const [row] = hookRows(place);

  expect(place.writes().filter((write) => write.includes('configmaps'))).toEqual([]);
  expect(row?.lastError).toContain('document=2');
});

test('[hooks 18] with `keepFullObjectsInMemory: false`, contexts have only the results of the filter', async () => {
  const config = `${CONFIG}
  keepFullObjectsInMemory: false
  jqFilter: .data.trees
  includeSnapshotsFrom: [crops]`;
  const place = await startHooks({ recorders: { 'a.sh': config }, stopped: true });
  await place.apply(field('north', '1'));
  place.startOperator();
  const hook = place.hook('a.sh');
  await hook.started(1);

  await place.apply(field('north', '2'));
  const [first, second] = await hook.contexts(2);

  expect(first?.objects).toEqual([{ filterResult: '1' }]);
  expect(second).toEqual({
    binding: 'crops',
    type: 'Event',
    watchEvent: 'Modified',
    filterResult: '2',
    snapshots: { crops: [{ filterResult: '2' }] },
  });
});

test('[hooks 19] with executionMinInterval, runs keep their minimum interval, and a run gets all changes in between', async () => {
  const clock = new FakeClock();
  const config = `${CONFIG}\nsettings: { executionMinInterval: 3s }`;
  const place = await startHooks({ recorders: { 'a.sh': config }, clock });
  const hook = place.hook('a.sh');
  await hook.started(1);

  for (let at = 0; at < 10; at++) await place.apply(field(`field-${at}`, '1'));
  await eventually(() => queued(place) === 10);
  await clock.advanceAndSettle(2_999);
  const early = (await hook.runs()).length;
  await clock.advanceAndSettle(1);
  await hook.contexts(11);

  expect(early).toBe(1);
  expect((await hook.runs()).map(({ length }) => length)).toEqual([1, 10]);
});

test('[hooks 28] a hook of version v0 gets only events, in the format of v0', async () => {
  const config = `
onKubernetesEvent:
- { kind: configmap, event: [add, delete], selector: { matchLabels: { crop: apple } } }`;
  const place = await startHooks({ recorders: { 'a.sh': config }, stopped: true });
  await place.apply(field('north', '1'));
  await place.startOperator().untilReady();
  const hook = place.hook('a.sh');

  await eventually(() => hookRows(place).every(({ waitsFor }) => waitsFor.length === 0));
  await place.apply(field('south', '1'));
  await hook.started(1);
  await place.env.delete('v1', 'ConfigMap', place.namespace, 'south');
  const all = await hook.contexts(2);

  const facts = { binding: 'onKubernetesEvent', resourceKind: 'ConfigMap' };
  const named = { resourceNamespace: place.namespace, resourceName: 'south' };
  expect(all).toEqual([
    { ...facts, ...named, resourceEvent: 'add' },
    { ...facts, ...named, resourceEvent: 'delete' },
  ]);
});

interface Status {
  readonly queues: readonly {
    readonly hook?: string;
    readonly name: string;
    readonly waiting: number;
  }[];
  readonly hooks: readonly { readonly lastError?: string; readonly waitsFor: readonly string[] }[];
}

function statusOf({ operator }: HooksPlace): Status {
  const [runnable] = operator.status.runnables;
  return runnable?.state as unknown as Status;
}

const hookRows = (place: HooksPlace): Status['hooks'] => statusOf(place).hooks;

/** Tasks of `main`, the one at its head among them. */
function queued(place: HooksPlace): number {
  const main = statusOf(place).queues.find(({ name }) => name === 'main');
  return main === undefined ? 0 : main.waiting + (main.hook === undefined ? 0 : 1);
}
