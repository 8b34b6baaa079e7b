import { ConfigurationError } from '../../core/errors.ts';
import type { GivenTo } from '../command-table.ts';
import { type KindNames, kindNames } from './names.ts';
import { type OwnedResource, ownedResources } from './owned-resources.ts';
import type { CREATE } from './table.ts';

/** The parsed command line of `chancery create api`. */
export interface CreateArguments {
  readonly names: KindNames;
  readonly isNamespaced: boolean;
  readonly owns: readonly OwnedResource[];
  /** The path of the module on the command line. */
  readonly module: string;
  readonly force: boolean;
}

/**
 * Parses the command line of `chancery create api`.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
export function createArguments({
  values,
  words: [surplus],
}: GivenTo<typeof CREATE>): CreateArguments {
  if (surplus !== undefined) {
    throw new ConfigurationError(
      `api takes options only, such as --kind Cache; got ${JSON.stringify(surplus)}`,
    );
  }
  const { group, version, kind, plural, module, force, namespaced, clusterScoped } = values;
  if (group === undefined || version === undefined || kind === undefined) {
    const missing = Object.entries({ group, version, kind })
      .filter(([, value]) => value === undefined)
      .map(([option]) => `--${option}`);
    throw new ConfigurationError(
      `api takes --group, --version and --kind, such as --group example.com --version v1 --kind Cache; ` +
        `missing: ${missing.join(', ')}`,
    );
  }
  const owns = values.owns === undefined ? [] : ownedResources(values.owns);
  if (namespaced && clusterScoped) {
    throw new ConfigurationError('expected --namespaced or --cluster-scoped; got both');
  }
  const isNamespaced = !clusterScoped;
  if (!isNamespaced && owns.length > 0) {
    throw new ConfigurationError(
      '--owns creates objects in the namespace of their owner, and --cluster-scoped gives the owner none; ' +
        'leave one of the two out',
    );
  }
  return {
    names: kindNames({ group, version, kind, plural }),
    isNamespaced,
    owns,
    module,
    force,
  };
}
