/**
 * Dependents are restarted when a Secret differs from the one that was seen before, and what was seen is in memory. After
 * cloudfoundry-incubator/quarks-operator, issue 1136, and cryostatio/cryostat-operator, issue 1463: workloads went on with
 * old credentials, and nothing tied the Secret to them.
 */
import { type Controller, controller, enqueueMapped } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { find, GROUP, objectOf, patch } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const apps = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'SecuredApp',
  spec: Type.Object({}),
});

/** Whether the workload must be started again with `password`. */
type IsOutdated = (running: string | undefined, password: string) => boolean;

/** A ConfigMap stands for the workload: it has the password with which it was started. */
function securedApp(isOutdated: IsOutdated): Controller {
  return controller({
    name: 'secured-app',
    for: apps,
    watches: [enqueueMapped(secrets, ({ metadata }) => [metadata])],
    owns: [configMaps],
    async reconcile({ metadata }, { applyOwned, store }) {
      const password = store(secrets).get(metadata)?.data?.password;
      if (password === undefined) return;
      const running = store(configMaps).get(metadata)?.data?.password;
      if (!isOutdated(running, password)) return;
      await applyOwned(configMaps, { metadata: { name: metadata.name }, data: { password } });
    },
  });
}

function sinceLastSeen(): IsOutdated {
  let seen: string | undefined;
  return (running, password) => {
    const isChanged = seen !== undefined && seen !== password;
    seen = password;
    return isChanged || running === undefined;
  };
}

export const missedRotation: Fault = {
  name: 'rotated Secret whose dependents go on',
  source: 'cloudfoundry-incubator/quarks-operator#1136',
  scenario: {
    objects: [
      apps.definition,
      objectOf(apps, { name: 'demo' }, { spec: {} }),
      objectOf(secrets, { name: 'demo' }, { data: { password: 'b2xk' } }),
    ],
    changes: [
      {
        name: 'the password is rotated',
        apply: (cluster) => patch(cluster, secrets, 'demo', { data: { password: 'bmV3' } }),
      },
    ],
    atRest: [
      {
        name: 'the workload runs with the password of the Secret',
        check: (cluster) => {
          const wanted = find(cluster, secrets, 'demo')?.data?.password;
          const used = find(cluster, configMaps, 'demo')?.data?.password;
          return used === wanted ? undefined : 'it runs with an old one';
        },
      },
    ],
  },
  faulty: () => [securedApp(sinceLastSeen())],
  corrected: () => [securedApp((running, password) => running !== password)],
  breaks: 'the workload runs with the password of the Secret',
  deviations: 1,
};
