import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { checkedDefinition, isDefinition } from '../../../generate/crd-check/definition.ts';
import { isMapping, type Mapping } from '../../../generate/crd-check/schema.ts';
import { type KindNames, kindNames } from '../../create/names.ts';

/** A kind that exists already, for which a project gets a controller. */
export interface ExistingKind {
  readonly names: KindNames;
  readonly isNamespaced: boolean;
  /** Undefined when only the names are known: the project then declares the schema. */
  readonly definition: ExistingDefinition | undefined;
}

export interface ExistingDefinition {
  /** The definition without what the cluster adds. */
  readonly text: Mapping;
  /** The schema of the version that is stored. */
  readonly schema: Mapping;
}

/**
 * The kind of a CustomResourceDefinition, in the version that is stored.
 *
 * @throws ConfigurationError `CONFIG` when it cannot be read, or when its names cannot be names of a new
 *   project.
 */
export function existingKind(definition: unknown): ExistingKind {
  if (!isDefinition(definition)) throw new ConfigurationError('no CustomResourceDefinition');
  const { name } = checkedDefinition(definition);
  const spec = mappingIn(definition, 'spec');
  const version = versionIn(spec);
  const { plural, singular, kind, listKind, ...names } = mappingIn(spec, 'names');
  const { name: versionName, schema } = version;
  try {
    return {
      names: existingNames(spec.group, versionName, kind, plural),
      isNamespaced: spec.scope === 'Namespaced',
      definition: {
        text: {
          apiVersion: definition.apiVersion,
          kind: definition.kind,
          metadata: metadataOf(name, definition.metadata),
          spec: {
            ...spec,
            // The API server fills these two in.
            names: {
              plural,
              singular: singular ?? String(kind).toLowerCase(),
              kind,
              listKind: listKind ?? `${String(kind)}List`,
              ...names,
            },
          },
        },
        schema: mappingIn(isMapping(schema) ? schema : {}, 'openAPIV3Schema'),
      },
    };
  } catch (error) {
    throw new ConfigurationError(`${name}: ${messageOf(error)}`, { cause: error });
  }
}

/** The names of an existing kind. @throws ConfigurationError `CONFIG` that names the rule that one breaks. */
export function existingNames(
  group: unknown,
  version: unknown,
  kind: unknown,
  plural: unknown,
): KindNames {
  try {
    return kindNames({
      group: String(group ?? ''),
      version: String(version ?? ''),
      kind: String(kind ?? ''),
      plural: typeof plural === 'string' && plural !== '' ? plural : undefined,
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.message.replaceAll(/--(?=group|version|kind|plural)/g, ''), {
      cause: error,
    });
  }
}

/** The version whose objects are stored. A definition that the API server accepts has exactly one. */
function versionIn(spec: Mapping): Mapping {
  const versions: readonly unknown[] = Array.isArray(spec.versions) ? spec.versions : [];
  const stored = versions.filter(isMapping).find(({ storage }) => storage === true);
  if (stored !== undefined) return stored;
  throw new ConfigurationError('no version of the definition has storage: true');
}

/** Annotations of kubectl have the whole object once more. */
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
