/**
 * Many controllers under one manager: `URL PROFILE MODE OBJECTS CONTROLLERS`. In mode `apart` each has a
 * namespace of its own, and so a list and a watch; in mode `shared` all have one. It is synced when every
 * controller has reconciled every object, and has seen an event when every controller has reconciled
 * the object that was expected. `{"do":"states"}` answers, in mode `apart`, with the states that the
 * controllers have acted upon: one, when all are equal.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { KubernetesObject, ObjectKey } from '../../operator/index.ts';
import { digestOf, type ObjectState } from '../../test/support/load/state.ts';
import { chancery, lowLevel } from './chancery.ts';
import { configuration, onCommand, onExpectation, seen, synced } from './child.ts';
import { go } from './scale-start.ts';

const { NAMESPACE } = await import('../../test/support/load/profile.ts');
const { resource, stateOf } = await import('./scale-informer.ts');
const { AWAIT_CHANGE, controller, source } = chancery;
const { createManager } = lowLevel;

const apart = String(configuration.mode) === 'apart';
const count = Number(process.argv[6] ?? '1');
let expected = '';
let tellers = 0;
let reconciled = 0;
onExpectation(({ marker }) => {
  expected = `${NAMESPACE}/${marker}`;
  tellers = 0;
});

const states = Array.from({ length: count }, () => new Map<ObjectKey, ObjectState>());

function note(index: number, key: ObjectKey, object: KubernetesObject | undefined): void {
  if (apart && object !== undefined) states[index]?.set(key, stateOf(object));
  if (apart && object === undefined) states[index]?.delete(key);
  if (++reconciled === count * configuration.objects) synced(reconciled);
  if (key === expected && ++tellers === count) seen();
}

const controllers = Array.from({ length: count }, (_, index) =>
  controller({
    name: `scale-${index}`,
    for: source(resource, { namespace: { name: apart ? `bench-${index}` : NAMESPACE } }),
    async reconcile(key, object) {
      note(index, key, object);
      return AWAIT_CHANGE;
    },
  }),
);
const manager = await createManager({
  controllers,
  environment: {},
  settings: {
    apiUrl: configuration.url,
    namespaces: [NAMESPACE],
    namespace: NAMESPACE,
    healthPort: 0,
    metricsPort: 0,
    logLevel: 'error',
    selfTest: 'off', // it would ask the load server for what only an API server answers
    insecureAllowToken: true,
  },
  leaderElection: false,
});
onCommand('states', async () => {
  while (!manager.idle) await yieldToEventLoop(); // what a relist has changed is reconciled behind what is new
  return {
    is: 'states',
    digests: [...new Set(states.map((state) => digestOf(state.values())))],
  };
});
await go();
await manager.run();
