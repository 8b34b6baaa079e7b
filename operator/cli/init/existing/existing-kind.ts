import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { isMapping, type Mapping } from '../../../core/mapping.ts';
import { byAge } from '../../../model/version-age.ts';
import { checkedDefinition } from '../../../schema/definition.ts';
import type { KindNames } from '../../create/names.ts';
import { existingNames, requireKind } from './existing-names.ts';

/** A kind that already exists, for which a project gets a controller. */
export interface ExistingKind {
  readonly names: KindNames;
  readonly isNamespaced: boolean;
  /**
   * The definition. Undefined when only the names of the kind are known. In that case, the new
   * project declares the schema.
   */
  readonly definition: ExistingDefinition | undefined;
}

export interface ExistingDefinition {
  /** The definition without the fields that the cluster adds. */
  readonly text: Mapping;
  /** The schema of the version of the kind. */
  readonly schema: Mapping;
  /** True when a webhook converts the objects of the version, because another version is stored. */
  readonly isConverted: boolean;
  /** Messages for the author of the project, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * The kind of a CustomResourceDefinition, in the version that is stored. If that version is not
 * served, the newest served version is used.
 *
 * @throws ConfigurationError `CONFIG` when the definition cannot be read, or when the API server
 * would refuse its names.
 */
export function existingKind(definition: Mapping): ExistingKind {
  const { name } = checkedDefinition(definition);
  try {
    const spec = mappingIn(definition, 'spec');
    const own = versionIn(spec);
    const { name: version, schema, storage } = own;
    const { plural, kind, listKind = `${String(kind)}List` } = mappingIn(spec, 'names');
    const names = existingNames(spec.group, version, kind, plural);
    requireKind('listKind', listKind);
    const expected = `${names.plural}.${names.group}`;
    if (name !== expected) throw new ConfigurationError(`metadata.name must be ${expected}`);
    return {
      names,
      isNamespaced: spec.scope === 'Namespaced',
      definition: {
        text: withoutCluster(name, definition, spec),
        schema: mappingIn(isMapping(schema) ? schema : {}, 'openAPIV3Schema'),
        isConverted: storage !== true && hasConversionWebhook(spec),
        notes: notesOn(names, spec, own),
      },
    };
  } catch (error) {
    throw new ConfigurationError(`${name}: ${messageOf(error)}`, { cause: error });
  }
}

function withoutCluster(name: string, definition: Mapping, spec: Mapping): Mapping {
  const { plural, singular, kind, listKind, ...names } = mappingIn(spec, 'names');
  return {
    apiVersion: definition.apiVersion,
    kind: definition.kind,
    metadata: metadataOf(name, definition.metadata),
    spec: {
      ...spec,
      // The API server fills in these two names.
      names: {
        plural,
        singular: singular ?? String(kind).toLowerCase(),
        kind,
        listKind: listKind ?? `${String(kind)}List`,
        ...names,
      },
    },
  };
}

function notesOn(
  { kind, group, version }: KindNames,
  spec: Mapping,
  { subresources }: Mapping,
): readonly string[] {
  const versions = versionsIn(spec).map((each) => String(each.name));
  const others = versions.filter((each) => each !== version);
  return [
    ...(others.length > 0
      ? [`${kind} of ${group} is taken in the version ${version}, not ${others.join(', ')}`]
      : []),
    ...(hasConversionWebhook(spec)
      ? [
          `${kind} of ${group} is converted by a webhook, which the new project does not serve: keep it running`,
        ]
      : []),
    ...(isMapping(subresources) && isMapping(subresources.status)
      ? []
      : [
          `${kind} of ${group} has no status subresource in ${version}: setStatus fails until that version of the definition has "subresources: { status: {} }"`,
        ]),
  ];
}

function hasConversionWebhook({ conversion }: Mapping): boolean {
  return isMapping(conversion) && conversion.strategy === 'Webhook';
}

function versionsIn(spec: Mapping): readonly Mapping[] {
  const versions: readonly unknown[] = Array.isArray(spec.versions) ? spec.versions : [];
  return versions.filter(isMapping);
}

function versionIn(spec: Mapping): Mapping {
  const served = versionsIn(spec).filter((version) => version.served === true);
  const newest = served.toSorted((a, b) => byAge(String(b.name), String(a.name)))[0];
  const version = served.find(({ storage }) => storage === true) ?? newest;
  if (version !== undefined) return version;
  throw new ConfigurationError('no version of it is served');
}

/** The metadata without annotations of kubectl, which contain the whole object again. */
function metadataOf(name: string, metadata: unknown): Mapping {
  const { annotations, labels } = isMapping(metadata) ? metadata : {};
  const kept = Object.entries(isMapping(annotations) ? annotations : {}).filter(
    ([key]) => !key.startsWith('kubectl.kubernetes.io/'),
  );
  return {
    name,
    ...(isMapping(labels) ? { labels } : {}),
    ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
  };
}

function mappingIn(parent: Mapping, field: string): Mapping {
  const value = parent[field];
  if (isMapping(value)) return value;
  throw new ConfigurationError(`${field} of the definition must be a mapping`);
}
