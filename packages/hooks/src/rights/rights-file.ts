import type { Permission } from 'chancery';
import { isDnsLabel, requireCheckedVerbs } from 'chancery/internal';
import { Fields, type Item, refuse, wordOf } from '../config/fields.ts';
import type { HookRight } from '../hook.ts';

const VERBS = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'bind',
  'approve',
  'sign',
  'attest',
  'use',
] as const satisfies readonly Permission['verbs'][number][];

const FIELDS = ['apiGroups', 'resources', 'verbs', 'resourceNames', 'namespaces'];

/**
 * The rules of a rights file: `rules: [{apiGroups: [apps], resources: [deployments], verbs:
 * [patch]}]`. A rule has the fields of a rule in a Role of Kubernetes, and `namespaces`. Wildcards
 * are refused.
 *
 * @throws ConfigurationError `CONFIG` for the first invalid field, with its path.
 */
export function parseRights(value: unknown): readonly HookRight[] {
  const fields = new Fields({ value, path: '' }, ['rules'], 'rules: [...]');
  const rules = fields.list('rules') ?? refuse('rules', 'is required, and is not given');
  return rules.map(rightOf);
}

function rightOf(item: Item): HookRight {
  const fields = new Fields(item, FIELDS);
  const apiGroups = groupsOf(fields);
  const resources = plainTexts(fields, 'resources');
  const verbs = fields.list('verbs')?.map((word) => wordOf(word, VERBS)) ?? [];
  if (verbs.length === 0)
    refuse(fields.pathOf('verbs'), `expected at least one of ${VERBS.join(', ')}`);
  const resource = resources.find((name) => !/^[a-z0-9-]+(\/[a-z0-9-]+)?$/.test(name));
  if (resource !== undefined) {
    const form = 'expected plural names such as deployments, or deployments/scale';
    refuse(fields.pathOf('resources'), `${form}, got ${JSON.stringify(resource.slice(0, 64))}`);
  }
  const resourceNames = fields.has('resourceNames')
    ? plainTexts(fields, 'resourceNames')
    : undefined;
  const namespaces = fields.has('namespaces') ? plainTexts(fields, 'namespaces') : undefined;
  const wrong = namespaces?.find((name) => !isDnsLabel(name));
  if (wrong !== undefined) {
    refuse(fields.pathOf('namespaces'), `${JSON.stringify(wrong)} is no name of a namespace`);
  }
  for (const group of apiGroups) {
    for (const plural of resources) {
      const path = fields.pathOf('verbs');
      const names = resourceNames === undefined ? {} : { resourceNames };
      requireCheckedVerbs(path, { resource: { group, plural }, verbs, ...names });
    }
  }
  return {
    apiGroups,
    resources,
    verbs,
    ...(resourceNames !== undefined && { resourceNames }),
    ...(namespaces !== undefined && { namespaces }),
  };
}

/** The API groups of a rule. The core group is the empty string. */
function groupsOf(fields: Fields): readonly string[] {
  const path = fields.pathOf('apiGroups');
  const items = fields.list('apiGroups') ?? [];
  if (items.length === 0) refuse(path, 'expected at least one; the core group is ""');
  return items.map(({ value, path: at }) => {
    if (typeof value !== 'string') return refuse(at, 'expected a string; the core group is ""');
    refuseWildcard(value, path);
    return value;
  });
}

function plainTexts(fields: Fields, name: string): readonly string[] {
  const texts = fields.requiredTexts(name);
  for (const text of texts) refuseWildcard(text, fields.pathOf(name));
  return texts;
}

function refuseWildcard(text: string, path: string): void {
  if (text.includes('*'))
    refuse(path, `a wildcard is refused: name each of the ${path.replace(/.*\./, '')}`);
}
