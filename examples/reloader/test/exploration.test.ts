/** A Deployment with a ConfigMap and a Secret, in many orders of events: it runs with their last content. */
import type { Scenario, ScenarioCluster } from '@chancery/testing';
import type { ConfigMap, Deployment, Secret } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import {
  creates,
  deletes,
  EXPLORING,
  explored,
  patches,
  type Target,
  textsOf,
} from '../../testing/exploring.ts';
import { hashOfConfigMap, hashOfSecret } from '../contract/hash.ts';
import { optionsOf } from '../contract/options.ts';
import { reloader } from '../operator.ts';
import { readBaseline } from '../record/baseline.ts';

const CONFIG: Target = ['v1', 'ConfigMap', 'app-config'];
const SECRET: Target = ['v1', 'Secret', 'app-credentials'];
const WEB: Target = ['apps/v1', 'Deployment', 'web'];
const OPTIONS = optionsOf({ debounce: '0s' }, {});

/** Hashes of what the Deployment uses, as they are and as it shows them. */
function hashesOf(cluster: ScenarioCluster) {
  const get = ([apiVersion, kind, name]: Target) => cluster.get(apiVersion, kind, 'default', name);
  const web = get(WEB) as Deployment;
  const [container] = web.spec.template.spec?.containers ?? [];
  const shown = (name: string) => container?.env?.find((each) => each.name === name)?.value;
  const noted = readBaseline(web.metadata.annotations);
  return [
    {
      name: 'app-config',
      is: hashOfConfigMap(get(CONFIG) as ConfigMap),
      has: shown('STAKATER_APP_CONFIG_CONFIGMAP') ?? noted['configmap/app-config'],
    },
    {
      name: 'app-credentials',
      is: hashOfSecret(get(SECRET) as Secret),
      has: shown('STAKATER_APP_CREDENTIALS_SECRET') ?? noted['secret/app-credentials'],
    },
  ];
}

const scenario: Scenario = {
  name: 'reloader',
  objects: textsOf('reloader/sample/*.yaml'),
  controllers: () => reloader(OPTIONS).controllers,
  changes: [
    patches('a person changes the message', CONFIG, { data: { message: 'two' } }),
    patches('a person labels the ConfigMap', CONFIG, { metadata: { labels: { team: 'web' } } }),
    patches('a program rotates the password', SECRET, { stringData: { password: 'two' } }),
    patches('a person scales the Deployment', WEB, { spec: { replicas: 3 } }),
    deletes('a person deletes the ConfigMap', CONFIG),
    creates('a person creates the ConfigMap again', CONFIG, { data: { message: 'three' } }),
    patches('a person changes the message again', CONFIG, { data: { message: 'four' } }),
  ],
  // What is seen first is what the Pods have: whether they were restarted depends on the order.
  ignore: (object) => (object.kind === 'Deployment' ? undefined : object),
  atRest: [
    {
      name: 'the Deployment runs with the last content',
      check: (cluster) => {
        const wrong = hashesOf(cluster).find(({ is, has }) => is !== has);
        if (wrong !== undefined) return `${wrong.name} has the hash ${wrong.is}, not ${wrong.has}`;
      },
    },
  ],
  atEachStep: [
    {
      name: 'no restart without a change',
      check: (cluster) => {
        const templates = cluster.writes.flatMap(({ object }) =>
          object.kind === 'Deployment'
            ? [JSON.stringify((object as Deployment).spec.template)]
            : [],
        );
        const rollouts = templates.filter((each, at) => at > 0 && each !== templates[at - 1]);
        if (rollouts.length > 4) return `there were ${rollouts.length} restarts of 4 changes`;
      },
    },
  ],
};

test(
  'in every order of events, the workloads of `reloader` run with the last content',
  EXPLORING,
  async () => {
    expect(await explored(scenario)).toMatchObject({ scenario: 'reloader' });
  },
);
