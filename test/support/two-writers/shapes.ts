import type { KubernetesObject } from '../../../operator/model/object.ts';
import { defineResource, type Resource } from '../../../operator/model/resource.ts';
import type { Slot, Subject } from './slots.ts';

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const ANY = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A custom resource with each form of list and of map that a definition can declare, and with defaults. */
const SHAPE = {
  type: 'object',
  properties: {
    text: TEXT,
    size: { ...TEXT, default: 'medium' },
    note: { ...TEXT, nullable: true },
    when: { ...TEXT, format: 'date-time' },
    count: { type: 'integer', format: 'int64' },
    ratio: { type: 'number' },
    port: { 'x-kubernetes-int-or-string': true },
    empty: { type: 'object', properties: { inner: TEXT } },
    options: { type: 'object', additionalProperties: TEXT },
    whole: { type: 'object', additionalProperties: TEXT, 'x-kubernetes-map-type': 'atomic' },
    list: { ...TEXTS, 'x-kubernetes-list-type': 'atomic' },
    tags: { ...TEXTS, 'x-kubernetes-list-type': 'set' },
    rules: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: TEXT,
          value: TEXT,
          weight: { type: 'integer', default: 1 },
          tags: { ...TEXTS, 'x-kubernetes-list-type': 'set' },
        },
      },
    },
    any: ANY,
  },
};

/** The definition of a kind of example.dev, with the schemas of its spec and of its status, if it has one. */
export function definition(
  plural: string,
  kind: string,
  spec: object,
  status?: object,
): KubernetesObject {
  const parts = status === undefined ? { spec } : { spec, status };
  const openAPIV3Schema = { type: 'object', properties: parts };
  const subresources = status === undefined ? {} : { subresources: { status: {} } };
  const singular = kind.toLowerCase();
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.dev` },
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { plural, singular, kind, listKind: `${kind}List` },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...subresources },
      ],
    },
  };
  return object;
}

export const SHAPE_DEFINITIONS: readonly KubernetesObject[] = [
  definition('shapes', 'Shape', SHAPE),
  definition('blobs', 'Blob', ANY),
  definition('relays', 'Relay', ANY, ANY),
];

export function resourceOf(plural: string, kind: string): Resource {
  return defineResource({ group: 'example.dev', version: 'v1', plural, kind, namespaced: true });
}

const words = (path: string): Slot => ({ path, ours: ['o1', 'o2'], theirs: ['t1'] });

/** An item of a set: present or not. */
const item = (path: string, by: 'ours' | 'theirs'): Slot => {
  const value = /\[=(.*)\]$/.exec(path)?.[1];
  return { path, ours: by === 'ours' ? [value] : [], theirs: by === 'theirs' ? [value] : [] };
};

/** A kind whose status is a map without a schema. */
export const OPEN_STATUS: Subject = {
  resource: resourceOf('relays', 'Relay'),
  always: {},
  slots: [
    words('status.text'),
    words('status.deep.x'),
    words('status.deep.y'),
    words('status.deep.er.x'),
    { path: 'status.number', ours: [1, 2.5], theirs: [3] },
    { path: 'status.list', ours: [['o'], []], theirs: [['t']] },
    { path: 'status.empty', ours: [{}], theirs: [] },
  ],
};

/** Two custom kinds: one whose schema says all, and one whose schema says nothing. */
export const SHAPES: readonly Subject[] = [
  {
    resource: resourceOf('shapes', 'Shape'),
    always: {},
    slots: [
      words('metadata.labels.l'),
      words('spec.text'),
      { path: 'spec.size', ours: ['small'], theirs: ['large'] },
      { path: 'spec.note', ours: [null, 'o'], theirs: ['t'] },
      {
        path: 'spec.when',
        ours: ['2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z'],
        theirs: ['2026-01-01T00:00:00.000Z'],
      },
      { path: 'spec.count', ours: [1, 2_147_483_648], theirs: [3] },
      { path: 'spec.ratio', ours: [1, 2.5], theirs: [1e21] },
      { path: 'spec.port', ours: [80, 'http'], theirs: ['80'] },
      { path: 'spec.empty', ours: [{}], theirs: [] },
      words('spec.options.x'),
      words('spec.options.y'),
      { path: 'spec.whole', ours: [{ a: 'o' }, {}], theirs: [{ b: 't' }, { a: 'o', b: 't' }] },
      { path: 'spec.list', ours: [['o'], ['o', 'o'], []], theirs: [['t']] },
      item('spec.tags[=o1]', 'ours'),
      item('spec.tags[=o2]', 'ours'),
      item('spec.tags[=t1]', 'theirs'),
      item('spec.tags[=t2]', 'theirs'),
      words('spec.rules[name=a].value'),
      { path: 'spec.rules[name=b].weight', ours: [2], theirs: [] },
      { path: 'spec.rules[name=c].value', ours: [], theirs: ['t'] },
      words('spec.any.deep.x'),
      words('spec.any.deep.y'),
      { path: 'spec.any.list', ours: [[{ name: 'o' }]], theirs: [[{ name: 't' }]] },
      { path: 'spec.any.flag', ours: [true, false], theirs: [] },
    ],
  },
  {
    resource: resourceOf('blobs', 'Blob'),
    always: {},
    slots: [
      words('spec.text'),
      words('spec.deep.x'),
      words('spec.deep.y'),
      words('spec.deep.er.x'),
      { path: 'spec.number', ours: [1, 2.5, -0.5], theirs: [3] },
      { path: 'spec.flag', ours: [true], theirs: [false] },
      { path: 'spec.list', ours: [['o'], []], theirs: [['t']] },
      { path: 'spec.empty', ours: [{}], theirs: [] },
      { path: 'spec.mixed', ours: ['o', ['o']], theirs: [3] },
    ],
  },
];
