import type { DefinitionNames } from '../model/custom-resource-definition.ts';
import { isDns1035Label, isDnsSubdomain, MAX_DNS_LABEL } from '../model/dns-name.ts';
import { pluralOf } from '../model/plural.ts';
import { definitionError } from './field-path.ts';

/** The names of a resource in the API. */
export interface NameOptions {
  /** The API group: a domain that you own. */
  readonly group: string;
  /** CamelCase, singular. */
  readonly kind: string;
  /** Default: the plural of the kind in lower case. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
  /** Short names, for commands such as `kubectl get web`. Default: none. */
  readonly shortNames?: readonly string[];
  /** Categories, for commands such as `kubectl get all`. Default: none. */
  readonly categories?: readonly string[];
}

/**
 * The names of a resource, with defaults derived from the kind: plural and singular in lower case.
 *
 * @throws ConfigurationError `CONFIG` for a name that the API server would refuse.
 */
export function namesOf(options: NameOptions): DefinitionNames {
  const { group, kind, shortNames = [], categories = [] } = options;
  refuseGroup(group);
  refuseKind('kind', kind);
  const singular = options.singular ?? kind.toLowerCase();
  const plural = options.plural ?? pluralOf(kind.toLowerCase());
  const listKind = options.listKind ?? `${kind}List`;
  refuseLabel('singular', singular);
  refuseLabel('plural', plural);
  refuseKind('listKind', listKind);
  if (listKind === kind) {
    throw definitionError('listKind', 'is the kind itself', `leave it out: it is ${kind}List`);
  }
  refuseNames('shortNames', shortNames);
  refuseNames('categories', categories);
  return {
    plural,
    singular,
    kind,
    listKind,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

/** @throws ConfigurationError `CONFIG` for a version that the API server would refuse. */
export function refuseVersion(path: string, version: string): void {
  refuseLabel(path, version);
}

function refuseGroup(group: string): void {
  if (!isDnsSubdomain(group) || !group.includes('.')) {
    const remedy = 'write a domain of yours in lower case, such as example.dev';
    throw definitionError('group', `${JSON.stringify(group)} is no domain with a dot`, remedy);
  }
}

function refuseLabel(path: string, name: string): void {
  if (isDns1035Label(name)) return;
  const remedy = `write at most ${MAX_DNS_LABEL} of a-z, 0-9 and "-", with a letter first`;
  throw definitionError(path, `${JSON.stringify(name)} is no DNS label`, remedy);
}

function refuseKind(path: string, kind: string): void {
  if (isDns1035Label(kind.toLowerCase()) && /^[A-Z]/.test(kind)) return;
  const remedy = `write a word in CamelCase of at most ${MAX_DNS_LABEL} letters and digits`;
  throw definitionError(path, `${JSON.stringify(kind)} is no name of a kind`, remedy);
}

function refuseNames(path: string, names: readonly string[]): void {
  for (const [at, name] of names.entries()) {
    refuseLabel(`${path}[${at}]`, name);
    if (names.indexOf(name) < at) {
      throw definitionError(`${path}[${at}]`, `${name} stands there twice`, 'leave one out');
    }
  }
}
