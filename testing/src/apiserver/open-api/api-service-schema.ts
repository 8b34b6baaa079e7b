import type { Json } from '../objects/metadata.ts';
import type { ResourceSchemas } from './operations.ts';
import { SCHEMAS } from './type-schema.ts';

const META = `${SCHEMAS}io.k8s.apimachinery.pkg.apis.meta.v1.`;
const PACKAGE = 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.';

const TEXT = { type: 'string' };
const COMMON = { apiVersion: TEXT, kind: TEXT };
const NUMBER = { type: 'integer', format: 'int32' };

export const API_SERVICE_SCHEMA_NAMES: ResourceSchemas = {
  object: `${PACKAGE}APIService`,
  list: `${PACKAGE}APIServiceList`,
};

/**
 * The schemas of apiregistration.k8s.io. The Go types of this group are in a different package than the types
 * of all other groups.
 */
export const API_SERVICE_SCHEMAS: Readonly<Record<string, Json>> = {
  [API_SERVICE_SCHEMA_NAMES.object]: {
    type: 'object',
    properties: {
      ...COMMON,
      metadata: { allOf: [{ $ref: `${META}ObjectMeta` }], default: {} },
      spec: { allOf: [{ $ref: `${SCHEMAS}${PACKAGE}APIServiceSpec` }], default: {} },
      status: { allOf: [{ $ref: `${SCHEMAS}${PACKAGE}APIServiceStatus` }], default: {} },
    },
    'x-kubernetes-group-version-kind': [
      { group: 'apiregistration.k8s.io', kind: 'APIService', version: 'v1' },
    ],
  },
  [API_SERVICE_SCHEMA_NAMES.list]: {
    type: 'object',
    required: ['items'],
    properties: {
      ...COMMON,
      items: {
        type: 'array',
        items: { allOf: [{ $ref: `${SCHEMAS}${API_SERVICE_SCHEMA_NAMES.object}` }], default: {} },
      },
      metadata: { allOf: [{ $ref: `${META}ListMeta` }], default: {} },
    },
    'x-kubernetes-group-version-kind': [
      { group: 'apiregistration.k8s.io', kind: 'APIServiceList', version: 'v1' },
    ],
  },
  [`${PACKAGE}APIServiceSpec`]: {
    type: 'object',
    required: ['groupPriorityMinimum', 'versionPriority'],
    properties: {
      caBundle: { type: 'string', format: 'byte', 'x-kubernetes-list-type': 'atomic' },
      group: TEXT,
      groupPriorityMinimum: NUMBER,
      insecureSkipTLSVerify: { type: 'boolean' },
      service: { allOf: [{ $ref: `${SCHEMAS}${PACKAGE}ServiceReference` }] },
      version: TEXT,
      versionPriority: NUMBER,
    },
  },
  [`${PACKAGE}ServiceReference`]: {
    type: 'object',
    properties: { name: TEXT, namespace: TEXT, port: NUMBER },
  },
  [`${PACKAGE}APIServiceStatus`]: {
    type: 'object',
    properties: {
      conditions: {
        type: 'array',
        items: { allOf: [{ $ref: `${SCHEMAS}${PACKAGE}APIServiceCondition` }], default: {} },
        'x-kubernetes-list-map-keys': ['type'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'type',
        'x-kubernetes-patch-strategy': 'merge',
      },
    },
  },
  [`${PACKAGE}APIServiceCondition`]: {
    type: 'object',
    required: ['type', 'status'],
    properties: {
      lastTransitionTime: { allOf: [{ $ref: `${META}Time` }] },
      message: TEXT,
      reason: TEXT,
      status: TEXT,
      type: TEXT,
    },
  },
};
