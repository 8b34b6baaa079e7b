/** Ours: a controller, run by a manager as `chancery run` makes one, on settings of a test. */
import { chancery, lowLevel } from './chancery.ts';
import { configuration, handled, imported, read, synced } from './child.ts';

imported();
const { NAMESPACE } = await import('../../test/support/load/profile.ts');
const { profileNamed } = await import('../../test/support/load/profiles.ts');
const { AWAIT_CHANGE, controller, defineResource, splitKey } = chancery;
const { createManager } = lowLevel;

const { group, version, plural, kind } = profileNamed(configuration.profile);
let reconciled = 0;

const manager = await createManager({
  controllers: [
    controller({
      name: 'bench',
      for: defineResource({ group, version, plural, kind, namespaced: true }),
      async reconcile(key, object) {
        if (object !== undefined) read(object);
        handled(splitKey(key).name);
        if (++reconciled === configuration.objects) synced(reconciled);
        return AWAIT_CHANGE;
      },
    }),
  ],
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
await manager.run();
