/** Controllers, definitions and objects of these tests. */
import type { KubernetesObject } from '../../../../operator/index.ts';
import type { ControllerObject, Library, Subject } from './subject.ts';

/** A function of `packages/metacontroller/test/functions/`. */
export function library(file: string, name: string = 'sync'): Library {
  return { file: new URL(`../functions/${file}.ts`, import.meta.url), export: name };
}

/** A function of `examples/metacontroller/`. */
export function exampleLibrary(file: string, name: string = 'sync'): Library {
  const folder = '../../../../examples/metacontroller/functions/';
  return { file: new URL(`${folder}${file}.ts`, import.meta.url), export: name };
}

export const EXAMPLE_CRDS: URL = new URL(
  '../../../../examples/metacontroller/crds/',
  import.meta.url,
);

export function composite(name: string, spec: object): ControllerObject {
  return controller('CompositeController', name, spec);
}

export function decorator(name: string, spec: object): ControllerObject {
  return controller('DecoratorController', name, spec);
}

function controller(kind: string, name: string, spec: object): ControllerObject {
  return {
    apiVersion: 'metacontroller.k8s.io/v1alpha1',
    kind,
    metadata: { name },
    spec,
  } as ControllerObject;
}

/** A definition without a schema of its own, but with a status subresource. */
export function definition(
  kind: string,
  plural: string,
  { group = 'ctl.enisoc.com', version = 'v1', scope = 'Namespaced' } = {},
): KubernetesObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  } as KubernetesObject;
}

export const INDEXED_JOBS: KubernetesObject = definition('IndexedJob', 'indexedjobs');

export const INDEXED_JOB: Subject = {
  object: composite('indexed-job', {
    generateSelector: true,
    parentResource: { apiVersion: 'ctl.enisoc.com/v1', resource: 'indexedjobs' },
    childResources: [{ apiVersion: 'v1', resource: 'pods' }],
  }),
  hooks: { sync: { decide: library('indexed-job') } },
};

export const BLUE_GREEN: Subject = {
  object: composite('blue-green', {
    parentResource: { apiVersion: 'ctl.enisoc.com/v1', resource: 'bluegreendeployments' },
    childResources: [
      { apiVersion: 'v1', resource: 'services', updateStrategy: { method: 'InPlace' } },
      { apiVersion: 'apps/v1', resource: 'replicasets', updateStrategy: { method: 'InPlace' } },
    ],
  }),
  hooks: { sync: { decide: exampleLibrary('blue-green') } },
};

export const CAT_SET: Subject = {
  object: composite('cat-set', {
    parentResource: {
      apiVersion: 'ctl.enisoc.com/v1',
      resource: 'catsets',
      revisionHistory: { fieldPaths: ['spec.template'] },
    },
    childResources: [
      {
        apiVersion: 'v1',
        resource: 'pods',
        updateStrategy: {
          method: 'RollingRecreate',
          statusChecks: { conditions: [{ type: 'Ready', status: 'True' }] },
        },
      },
      { apiVersion: 'v1', resource: 'persistentvolumeclaims' },
    ],
  }),
  hooks: {
    sync: { decide: library('cat-set') },
    finalize: { decide: library('cat-set') },
  },
};

/** @param version - of both hooks. */
export function servicePerPod(version: 'v1' | 'v2'): Subject {
  return {
    object: decorator('service-per-pod', {
      resources: [
        {
          apiVersion: 'apps/v1',
          resource: 'statefulsets',
          annotationSelector: {
            matchExpressions: [
              { key: 'service-per-pod-label', operator: 'Exists' },
              { key: 'service-per-pod-ports', operator: 'Exists' },
            ],
          },
        },
      ],
      attachments: [{ apiVersion: 'v1', resource: 'services' }],
    }),
    hooks: {
      sync: { decide: library('service-per-pod'), version },
      finalize: { decide: library('service-per-pod'), version },
    },
  };
}

export const GLOBAL_CONFIG_MAPS: KubernetesObject = definition(
  'GlobalConfigMap',
  'globalconfigmaps',
  { group: 'examples.metacontroller.io', version: 'v1alpha1', scope: 'Cluster' },
);

export const GLOBAL_CONFIG_MAP: Subject = {
  object: composite('global-config-map', {
    generateSelector: true,
    parentResource: {
      apiVersion: 'examples.metacontroller.io/v1alpha1',
      resource: 'globalconfigmaps',
    },
    childResources: [
      { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'InPlace' } },
    ],
  }),
  hooks: {
    sync: { decide: library('global-config-map') },
    customize: { decide: library('global-config-map', 'customize') },
  },
  related: [
    { apiVersion: 'v1', resource: 'configmaps' },
    { apiVersion: 'v1', resource: 'namespaces' },
  ],
};

/** A template of Pods with one container. */
export function podTemplate(app: string, image: string = 'registry.example/app:1'): object {
  return {
    metadata: { labels: { app } },
    spec: { containers: [{ name: 'main', image }] },
  };
}
