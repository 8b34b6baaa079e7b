/**
 * The controllers of this example in many orders of events. Their functions are called in this process: a program and a
 * webhook answer in real time, which an exploration does not have.
 */
import { readFileSync } from 'node:fs';
import type { Scenario } from '@chancery/testing';
import { type Controller, defineResource, type KubernetesObject } from 'chancery';
import { pods, replicaSets, services, statefulSets } from 'chancery/kubernetes';
import { parseYaml } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { compositeController } from '../../../packages/metacontroller/src/composite-controller.ts';
import type { SharedParts } from '../../../packages/metacontroller/src/controller-parts.ts';
import { decoratorControllers } from '../../../packages/metacontroller/src/decorator-controller.ts';
import type { HookFunction } from '../../../packages/metacontroller/src/hook-function.ts';
import { parseController } from '../../../packages/metacontroller/src/parse/parse-controller.ts';
import type {
  CompositeSpec,
  ControllerSpec,
  DecoratorSpec,
} from '../../../packages/metacontroller/src/spec.ts';
import { childWriterOf } from '../../../packages/metacontroller/src/supervisor/child-writer-of.ts';
import { METACONTROLLER_DEFAULTS } from '../../../packages/metacontroller/src/supervisor/options.ts';
import { sync as catSet } from '../../../packages/metacontroller/test/functions/cat-set.ts';
import { sync as servicePerPod } from '../../../packages/metacontroller/test/functions/service-per-pod.ts';
import {
  creates,
  deletes,
  EXPLORING,
  explored,
  patches,
  type Target,
  textsOf,
} from '../../testing/exploring.ts';
import { sync as blueGreen } from '../functions/blue-green.ts';

const CLAIMS = defineResource({
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
});

function parentOf(kind: string) {
  const plural = `${kind.toLowerCase()}s`;
  return defineResource({ group: 'ctl.enisoc.com', version: 'v1', plural, kind, namespaced: true });
}

function specOf(name: string): ControllerSpec {
  const text = readFileSync(new URL(`../controllers/${name}.yaml`, import.meta.url), 'utf8');
  const { metadata, ...object } = parseYaml(text) as KubernetesObject;
  return parseController({ ...object, metadata: { ...metadata, uid: name } } as KubernetesObject);
}

/** What all controllers of a process share. */
function shared(): SharedParts {
  const nothing = (): never => {
    throw new Error('these controllers have no customize hook');
  };
  return {
    ...METACONTROLLER_DEFAULTS,
    writer: childWriterOf({ ...METACONTROLLER_DEFAULTS } as never),
    revisionsNamespace: 'default',
    resolve: nothing,
    open: nothing,
  };
}

/** A hook that is called in this process. */
function hookOf(spec: ControllerSpec, decide: (request: never) => object): HookFunction {
  const { version = 'v2', answers = 'strict' } = spec.hooks.sync ?? {};
  return {
    ...{ mode: 'module', version, answers, description: 'a function of this process' },
    call: async ({ value }) => ({ value: decide(structuredClone(value) as never) }),
    close: async () => {},
  };
}

function composite(
  name: string,
  {
    parent,
    children,
    sync,
    finalizes = false,
  }: {
    readonly parent: CompositeParent;
    readonly children: readonly Parameters<typeof compositeController>[0]['children'][number][];
    readonly sync: (request: never) => object;
    readonly finalizes?: boolean;
  },
): Controller {
  const spec = specOf(name) as CompositeSpec;
  const hook = hookOf(spec, sync);
  const hooks = { sync: hook, ...(finalizes && { finalize: hook }) };
  return compositeController({ spec, parent, children, hooks, statusFields: undefined }, shared());
}

type CompositeParent = Parameters<typeof compositeController>[0]['parent'];

const SHOP: Target = ['ctl.enisoc.com/v1', 'BlueGreenDeployment', 'shop'];
const CATS: Target = ['ctl.enisoc.com/v1', 'CatSet', 'cats'];
const WEB: Target = ['apps/v1', 'StatefulSet', 'web'];

function imaged(image: string): object {
  return { spec: { template: { spec: { containers: [{ name: 'web', image }] } } } };
}

const BLUE_GREEN: Scenario = {
  name: 'metacontroller blue-green',
  objects: textsOf('metacontroller/crds/blue*.yaml', 'metacontroller/sample/blue-green.yaml'),
  controllers: () => [
    composite('blue-green', {
      parent: parentOf('BlueGreenDeployment'),
      children: [services, replicaSets],
      sync: blueGreen,
    }),
  ],
  workloads: { only: ['replicaSet', 'scheduler', 'kubelet', 'garbageCollector'] },
  changes: [
    patches('a person scales the shop to 1', SHOP, { spec: { replicas: 1 } }),
    patches('a person changes the image', SHOP, imaged('nginx:1.27')),
    patches('a person changes the image again', SHOP, imaged('nginx:1.28')),
    deletes('somebody deletes the Service', ['v1', 'Service', 'shop']),
  ],
  // Which colour serves at the end depends on how many images came together.
  ignore: (object) => (['CustomResourceDefinition'].includes(object.kind) ? object : undefined),
  atRest: [
    {
      name: 'the last image serves',
      check: (cluster) => {
        const service = cluster.get('v1', 'Service', 'default', 'shop') as unknown as Colored;
        const name = `shop-${service.spec.selector.color}`;
        const live = cluster.get('apps/v1', 'ReplicaSet', 'default', name) as unknown as Live;
        const [container] = live.spec.template.spec.containers;
        if (container?.image !== 'nginx:1.28') return `${container?.image} does`;
      },
    },
  ],
};

interface Colored {
  readonly spec: { readonly selector: { readonly color: string } };
}
interface Live {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { image: string }[] } };
  };
}

const CAT_SET: Scenario = {
  name: 'metacontroller cat-set',
  objects: textsOf('metacontroller/crds/cat*.yaml', 'metacontroller/sample/cat-set.yaml'),
  controllers: () => [
    composite('cat-set', {
      parent: parentOf('CatSet'),
      children: [pods, CLAIMS],
      sync: catSet,
      finalizes: true,
    }),
  ],
  workloads: { only: ['scheduler', 'kubelet', 'garbageCollector'] },
  changes: [
    patches('a person scales the cats to 2', CATS, { spec: { replicas: 2 } }),
    patches('a person changes the image', CATS, imaged('nginx:1.27')),
    deletes('somebody deletes a Pod', ['v1', 'Pod', 'cats-0']),
    deletes('a person deletes the cats', CATS),
  ],
};

const SERVICE_PER_POD: Scenario = {
  name: 'metacontroller service-per-pod',
  objects: textsOf('metacontroller/sample/stateful-set.yaml'),
  controllers: () => {
    const spec = specOf('service-per-pod') as DecoratorSpec;
    const hook = hookOf(spec, servicePerPod);
    const decorated = {
      resource: statefulSets,
      hasStatusSubresource: true,
      statusFields: undefined,
    };
    const parts = { spec, resources: [decorated], attachments: [services] };
    return decoratorControllers({ ...parts, hooks: { sync: hook, finalize: hook } }, shared());
  },
  workloads: { only: ['garbageCollector'] },
  changes: [
    patches('a person scales the StatefulSet to 2', WEB, { spec: { replicas: 2 } }),
    deletes('somebody deletes a Service', ['v1', 'Service', 'web-1']),
    patches('a person wants no Services', WEB, {
      metadata: { annotations: { 'service-per-pod-ports': null } },
    }),
    patches('a person wants them again', WEB, {
      metadata: { annotations: { 'service-per-pod-ports': '80:8081' } },
    }),
    deletes('a person deletes the StatefulSet', WEB),
    creates(
      'a person creates the StatefulSet again',
      WEB,
      {
        spec: {
          replicas: 1,
          serviceName: 'web',
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'web', image: 'nginx:1.26' }] },
          },
        },
      },
      {
        annotations: {
          'service-per-pod-label': 'statefulset.kubernetes.io/pod-name',
          'service-per-pod-ports': '80:8080',
        },
      },
    ),
  ],
};

test.each([BLUE_GREEN, CAT_SET, SERVICE_PER_POD])(
  '`$name` reaches the same final state in every order of events',
  EXPLORING,
  async (scenario) => {
    expect(await explored(scenario)).toMatchObject({ scenario: scenario.name });
  },
);
