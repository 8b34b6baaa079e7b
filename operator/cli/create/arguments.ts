import { nearMatches } from '../../client/near-match.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { parseFlags } from '../flags.ts';
import { type KindNames, kindNames } from './names.ts';
import { type OwnedResource, ownedResources } from './owned-resources.ts';

/** The command line of `chancery create api`. */
export interface CreateArguments {
  readonly names: KindNames;
  readonly isNamespaced: boolean;
  readonly owns: readonly OwnedResource[];
  /** The path of the module as given. */
  readonly module: string;
  readonly force: boolean;
}

const OPTIONS = {
  'cluster-scoped': { type: 'boolean' },
  force: { type: 'boolean' },
  group: { type: 'string' },
  kind: { type: 'string' },
  module: { type: 'string' },
  namespaced: { type: 'boolean' },
  owns: { type: 'string' },
  plural: { type: 'string' },
  version: { type: 'string' },
} as const;

/** @throws ConfigurationError `CONFIG` in one line that says what was expected and what was given. */
export function parseCreateArguments(args: readonly string[]): CreateArguments {
  const { values, positionals } = parseFlags(args, OPTIONS);
  requireApi(positionals);
  const { group, version, kind, plural, module = 'src/operator.ts' } = values;
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
  const isNamespaced = scopeOf(values.namespaced, values['cluster-scoped']);
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
    force: values.force === true,
  };
}

function requireApi([word, ...others]: readonly string[]): void {
  if (word === undefined) throw new ConfigurationError('expected api or hook; got nothing');
  if (word !== 'api') {
    const near = nearMatches(word, ['api', 'hook']);
    const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'expected api or hook';
    throw new ConfigurationError(`cannot create ${JSON.stringify(word)}; ${hint}`);
  }
  const [first] = others;
  if (first === undefined) return;
  throw new ConfigurationError(
    `api takes options only, such as --kind Cache; got ${JSON.stringify(first)}`,
  );
}

function scopeOf(namespaced: boolean | undefined, clusterScoped: boolean | undefined): boolean {
  if (namespaced === true && clusterScoped === true) {
    throw new ConfigurationError('expected --namespaced or --cluster-scoped; got both');
  }
  return clusterScoped !== true;
}
