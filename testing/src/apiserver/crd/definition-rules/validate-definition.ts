import { isDeepStrictEqual } from 'node:util';
import {
  DNS_SUBDOMAIN,
  invalid,
  invalidUnshown,
  NOT_DNS_SUBDOMAIN,
  notSupported,
  required,
} from 'chancery/internal-objects';
import type { FieldError } from '../../failures/invalid.ts';
import { isObject } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type DefinitionSpec, type DefinitionVersion, specOf } from '../definition.ts';
import { isTrue } from '../definition-conditions.ts';
import { approvalProblems } from './approval-rules.ts';
import { labelProblem, nameProblems } from './names-rules.ts';
import {
  columnProblems,
  selectableFieldProblems,
  subresourceProblems,
  versionSchemaProblems,
} from './version-rules.ts';

/** The problems of a CustomResourceDefinition, in the order in which the server lists them. */
export function validateDefinition(
  definition: StoredObject,
  previous?: StoredObject,
): readonly FieldError[] {
  if (!isObject(definition.spec)) return [required('spec')];
  return [
    ...objectNameProblems(definition),
    ...(isDeepStrictEqual(definition.spec, previous?.spec)
      ? []
      : specProblems(specOf(definition), previous && specOf(previous))),
    ...(previous === undefined ? [] : immutableProblems(definition, previous)),
    ...storedVersionProblems(definition),
    ...approvalProblems(definition, previous),
    ...preserveProblems(definition, previous),
  ];
}

function objectNameProblems({ metadata, spec }: StoredObject): readonly FieldError[] {
  const { group, names } = spec as Partial<DefinitionSpec>;
  const name = metadata.name ?? '';
  if (name === `${names?.plural ?? ''}.${group ?? ''}`) return [];
  return [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function specProblems(
  spec: DefinitionSpec,
  before: DefinitionSpec | undefined,
): readonly FieldError[] {
  const whole: DefinitionSpec = { ...spec, versions: spec.versions ?? [] };
  return [
    ...groupProblems(spec.group),
    ...scopeProblems(spec.scope),
    ...missingSchemas(whole),
    ...whole.versions.flatMap((version, at) => versionProblems(version, at, whole, before)),
    ...versionSetProblems(whole),
    ...nameProblems(spec.names ?? {}),
    ...sharedProblems(whole, before),
    ...conversionProblems(spec.conversion ?? {}),
  ];
}

function groupProblems(group: string | undefined): readonly FieldError[] {
  if (!group) return [required('spec.group')];
  if (!new RegExp(`^${DNS_SUBDOMAIN}$`).test(group)) {
    return [invalid('spec.group', group, NOT_DNS_SUBDOMAIN)];
  }
  if (group.includes('.')) return [];
  return [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeProblems(scope: string | undefined): readonly FieldError[] {
  if (!scope) return [required('spec.scope')];
  const scopes = ['Cluster', 'Namespaced'];
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)];
}

function missingSchemas({ versions }: DefinitionSpec): readonly FieldError[] {
  return versions.flatMap((version, at) =>
    isObject(version.schema?.openAPIV3Schema)
      ? []
      : [required(`spec.versions[${at}].schema.openAPIV3Schema`)],
  );
}

/**
 * Whether all versions have the same value in a field. The server then keeps the value in one place for all
 * versions, and reports its problems there.
 */
function isShared(
  { versions }: DefinitionSpec,
  field: 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields',
): boolean {
  const [first] = versions;
  if (first?.[field] === undefined) return false;
  return versions.every((version) => isDeepStrictEqual(version[field], first[field]));
}

/** True for a version whose schema the server has accepted before. */
function isKnown({ name, schema }: DefinitionVersion, before: DefinitionSpec | undefined): boolean {
  const former = before?.versions?.find((version) => version.name === name);
  return former !== undefined && isDeepStrictEqual(former.schema, schema);
}

function versionProblems(
  version: DefinitionVersion,
  at: number,
  spec: DefinitionSpec,
  before: DefinitionSpec | undefined,
): readonly FieldError[] {
  const path = `spec.versions[${at}]`;
  const why = labelProblem(version.name ?? '');
  const columns = `${path}.additionalPrinterColumns`;
  return [
    ...(why === '' ? [] : [invalid(`${path}.name`, version.name ?? '', why)]),
    ...deprecationProblems(version, path),
    ...(isShared(spec, 'schema')
      ? []
      : versionSchemaProblems(version, `${path}.schema`, isKnown(version, before))),
    ...(isShared(spec, 'subresources') ? [] : subresourceProblems(version, `${path}.subresources`)),
    ...(isShared(spec, 'additionalPrinterColumns')
      ? []
      : columnProblems(version.additionalPrinterColumns, columns)),
    ...(isShared(spec, 'selectableFields')
      ? []
      : selectableFieldProblems(version, `${path}.selectableFields`)),
  ];
}

function sharedProblems(
  spec: DefinitionSpec,
  before: DefinitionSpec | undefined,
): readonly FieldError[] {
  const [first] = spec.versions;
  if (first === undefined) return [];
  return [
    ...(isShared(spec, 'schema')
      ? versionSchemaProblems(first, 'spec.validation', isKnown(first, before))
      : []),
    ...(isShared(spec, 'subresources') ? subresourceProblems(first, 'spec.subresources') : []),
    ...(isShared(spec, 'additionalPrinterColumns')
      ? columnProblems(first.additionalPrinterColumns, 'spec.additionalPrinterColumns')
      : []),
    ...(isShared(spec, 'selectableFields')
      ? selectableFieldProblems(first, 'spec.selectableFields')
      : []),
  ];
}

function deprecationProblems(
  { deprecated, deprecationWarning }: DefinitionVersion,
  path: string,
): readonly FieldError[] {
  if (deprecationWarning === undefined) return [];
  const at = `${path}.deprecationWarning`;
  if (deprecated !== true) {
    return [invalid(at, deprecationWarning, 'can only be set for deprecated versions')];
  }
  if (deprecationWarning === '') return [invalid(at, '', 'must not be an empty string')];
  if (deprecationWarning.length <= 256) return [];
  return [invalid(at, deprecationWarning, 'must be <= 256 characters long')];
}

function versionSetProblems({ versions }: DefinitionSpec): readonly FieldError[] {
  const names = versions.map(({ name }) => name);
  const problems: FieldError[] = [];
  if (new Set(names).size < names.length) {
    problems.push(invalidUnshown('spec.versions', 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    const why = 'must have exactly one version marked as storage version';
    problems.push(invalidUnshown('spec.versions', why));
  }
  return problems;
}

function conversionProblems(
  conversion: NonNullable<DefinitionSpec['conversion']>,
): readonly FieldError[] {
  const strategies = ['None', 'Webhook'];
  const { strategy, webhook } = conversion;
  if (strategy === undefined) return [];
  if (!strategies.includes(strategy)) {
    return [notSupported('spec.conversion.strategy', strategy, strategies)];
  }
  if (strategy !== 'Webhook') return [];
  const field = 'spec.conversion.webhookClientConfig';
  const client = isObject(webhook) ? webhook.clientConfig : undefined;
  if (!isObject(client)) return [required(field, 'required when strategy is set to Webhook')];
  const { url, service } = client;
  if ((url === undefined) !== (service === undefined)) return [];
  return [required(field, 'exactly one of url or service is required')];
}

/** Refuses changes of the fields that identify a resource and its storage. */
function immutableProblems(
  definition: StoredObject,
  previous: StoredObject,
): readonly FieldError[] {
  const spec = specOf(definition);
  const before = specOf(previous);
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ...(isTrue(previous, 'Established')
      ? ([
          ['spec.scope', spec.scope, before.scope],
          ['spec.names.kind', spec.names.kind, before.names.kind],
        ] as const)
      : []),
    ['spec.group', spec.group, before.group],
    ['spec.names.plural', spec.names.plural, before.names.plural],
  ];
  return pairs.flatMap(([field, now, then]) =>
    now === then ? [] : [invalid(field, now, 'field is immutable')],
  );
}

/** Refuses the removal of a version in which objects may still be stored. */
function storedVersionProblems(definition: StoredObject): readonly FieldError[] {
  const { status } = definition;
  const stored =
    isObject(status) && Array.isArray(status.storedVersions) ? status.storedVersions : [];
  const versions = specOf(definition).versions ?? [];
  return stored.flatMap((name: string, at) => {
    if (versions.some((version) => version.name === name)) return [];
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return [invalid(`status.storedVersions[${at}]`, name, why)];
  });
}

function preserveProblems(
  definition: StoredObject,
  previous: StoredObject | undefined,
): readonly FieldError[] {
  if (previous !== undefined && specOf(previous).preserveUnknownFields === true) return [];
  if (specOf(definition).preserveUnknownFields !== true) return [];
  const why =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid('spec.preserveUnknownFields', true, why)];
}
