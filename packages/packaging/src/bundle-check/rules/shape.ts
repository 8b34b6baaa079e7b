import { isMapping } from 'chancery/internal';
import type { BundleRule } from '../bundle-finding.ts';
import { type Fields, valueAt } from '../fields.ts';

type Shape = 'mapping' | 'list' | 'text' | 'map of texts';

/**
 * The types of the fields that the other rules read. A field of another type would look empty to
 * these rules.
 */
const SHAPES: Readonly<Record<string, Shape>> = {
  metadata: 'mapping',
  'metadata.name': 'text',
  'metadata.annotations': 'map of texts',
  'metadata.labels': 'map of texts',
  spec: 'mapping',
  'spec.displayName': 'text',
  'spec.description': 'text',
  'spec.version': 'text',
  'spec.release': 'text',
  'spec.maturity': 'text',
  'spec.replaces': 'text',
  'spec.skips': 'list',
  'spec.minKubeVersion': 'text',
  'spec.keywords': 'list',
  'spec.maintainers': 'list',
  'spec.links': 'list',
  'spec.icon': 'list',
  'spec.provider': 'mapping',
  'spec.installModes': 'list',
  'spec.relatedImages': 'list',
  'spec.webhookdefinitions': 'list',
  'spec.customresourcedefinitions': 'mapping',
  'spec.customresourcedefinitions.owned': 'list',
  'spec.customresourcedefinitions.required': 'list',
  'spec.apiservicedefinitions': 'mapping',
  'spec.apiservicedefinitions.owned': 'list',
  'spec.apiservicedefinitions.required': 'list',
  'spec.install': 'mapping',
  'spec.install.strategy': 'text',
  'spec.install.spec': 'mapping',
  'spec.install.spec.deployments': 'list',
  'spec.install.spec.permissions': 'list',
  'spec.install.spec.clusterPermissions': 'list',
};

/** Fields must have the types that OLM reads. */
export const shape: BundleRule = {
  id: 'shape',
  check({ csv: { fields } }) {
    return Object.entries(SHAPES).flatMap(([path, expected]) => {
      const value = valueAt(fields, path.split('.'));
      if (value === undefined || value === null || fits(value, expected)) return [];
      const todo = 'quote it if it is meant as a string, and look at the indentation';
      return [{ path, wrong: `must be a ${expected}, and OLM reads nothing else`, todo }];
    });
  },
};

function fits(value: unknown, expected: Shape): boolean {
  switch (expected) {
    case 'text':
      return typeof value === 'string';
    case 'list':
      return Array.isArray(value);
    case 'mapping':
      return isMapping(value);
    case 'map of texts':
      return isMapping(value) && areTexts(value);
  }
}

function areTexts(fields: Fields): boolean {
  return Object.values(fields).every((value) => typeof value === 'string');
}
