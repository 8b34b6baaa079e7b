import { ConfigurationError } from '../../core/errors.ts';
import { nearMatches } from '../../core/text/near-match.ts';
import type { SpecField } from './spec-fields.ts';

/** A built-in resource whose objects a new controller can own. */
export interface OwnedResource {
  /** The name in `--owns`, which is also the name of its template: `deployments.apps`. */
  readonly name: string;
  /** The name of the resource's constant in `chancery/kubernetes`. */
  readonly constant: string;
  /** The fields of the owner's spec that the owned objects use. */
  readonly fields: readonly SpecField['name'][];
}

const OWNED_RESOURCES: readonly OwnedResource[] = [
  { name: 'configmaps', constant: 'configMaps', fields: ['message'] },
  { name: 'cronjobs.batch', constant: 'cronJobs', fields: ['image', 'schedule'] },
  { name: 'daemonsets.apps', constant: 'daemonSets', fields: ['image'] },
  { name: 'deployments.apps', constant: 'deployments', fields: ['image', 'replicas'] },
  { name: 'jobs.batch', constant: 'jobs', fields: ['image'] },
  { name: 'secrets', constant: 'secrets', fields: ['message'] },
  { name: 'serviceaccounts', constant: 'serviceAccounts', fields: ['message'] },
  { name: 'services', constant: 'services', fields: ['port'] },
  { name: 'statefulsets.apps', constant: 'statefulSets', fields: ['image', 'replicas'] },
];

/** The names that `--owns` accepts, for its help. */
export const OWNED_NAMES: readonly string[] = OWNED_RESOURCES.map(({ name }) => name);

/**
 * The resources in `--owns`, such as `deployments.apps,services`, in the given order. The group may
 * be omitted.
 *
 * @throws ConfigurationError `CONFIG` for a resource without a template, with near matches.
 */
export function ownedResources(text: string): readonly OwnedResource[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.map(ownedResource))];
}

function ownedResource(name: string): OwnedResource {
  const wanted = name.toLowerCase();
  const found = OWNED_RESOURCES.find((each) => [each.name, withoutGroup(each)].includes(wanted));
  if (found !== undefined) return found;
  const near = nearMatches(wanted, OWNED_NAMES);
  const hint =
    near.length > 0
      ? `did you mean ${near.join(' or ')}?`
      : `known: ${OWNED_NAMES.join(', ')}; add any other resource in the controller by hand`;
  throw new ConfigurationError(`--owns has no template for ${JSON.stringify(name)}; ${hint}`);
}

function withoutGroup({ name }: OwnedResource): string {
  return name.split('.', 1)[0] ?? '';
}
