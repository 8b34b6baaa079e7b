import { ConfigurationError } from '../../core/errors.ts';
import { type CheckedSchema, checkedSchema } from '../../schema/checked-schema.ts';
import { isMapping, type Mapping } from './schema.ts';

/** One version of a definition, as far as the check of an upgrade looks at it. */
export interface CheckedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema: CheckedSchema;
}

/** A CustomResourceDefinition, as far as the check of an upgrade looks at it. */
export interface CheckedDefinition {
  /** Such as `shops.example.com`. */
  readonly name: string;
  readonly kind: string;
  readonly scope: string;
  readonly versions: readonly CheckedVersion[];
  /** The versions in which the API server has stored objects, and the one in which it stores them. */
  readonly storedVersions: readonly string[];
  readonly hasConversionWebhook: boolean;
}

/**
 * More versions than any real definition has. The served versions are compared in pairs, so this bounds the
 * work.
 */
const MAX_VERSIONS = 50;

/** True for an object of this kind, whatever its version. */
export function isDefinition(value: unknown): value is Mapping {
  return isMapping(value) && value.kind === 'CustomResourceDefinition';
}

/**
 * Reads a CustomResourceDefinition of any tool. It does not decide whether the API server would accept it.
 *
 * @throws ConfigurationError `CONFIG` that names the definition and the field, when it has another
 *   apiVersion or a part that cannot be compared.
 */
export function checkedDefinition(value: Mapping): CheckedDefinition {
  const name = isMapping(value.metadata) ? value.metadata.name : undefined;
  if (typeof name !== 'string' || name === '') {
    throw new ConfigurationError('a CustomResourceDefinition has no metadata.name');
  }
  if (value.apiVersion !== 'apiextensions.k8s.io/v1') {
    const given = JSON.stringify(value.apiVersion) ?? 'nothing';
    const hint = /v1beta1"$/.test(given)
      ? ', which no API server since Kubernetes 1.22 serves'
      : '';
    throw unreadable(name, 'apiVersion', `must be apiextensions.k8s.io/v1, not ${given}${hint}`);
  }
  const { spec, status } = value;
  if (!isMapping(spec)) throw unreadable(name, 'spec', 'must be a mapping');
  const versions = versionsIn(name, spec.versions);
  return {
    name,
    kind: textIn(name, 'spec.names.kind', isMapping(spec.names) ? spec.names.kind : undefined),
    scope: textIn(name, 'spec.scope', spec.scope),
    versions: versions.map(({ version }) => version),
    storedVersions: [
      ...new Set([
        ...versions.filter(({ storage }) => storage).map(({ version }) => version.name),
        ...storedIn(status),
      ]),
    ],
    hasConversionWebhook: isMapping(spec.conversion) && spec.conversion.strategy === 'Webhook',
  };
}

interface ReadVersion {
  readonly version: CheckedVersion;
  readonly storage: boolean;
}

function versionsIn(definition: string, versions: unknown): readonly ReadVersion[] {
  if (!Array.isArray(versions) || versions.length === 0) {
    throw unreadable(definition, 'spec.versions', 'must be a list with at least one version');
  }
  if (versions.length > MAX_VERSIONS) {
    const problem = `has ${versions.length} versions, more than ${MAX_VERSIONS}`;
    throw unreadable(definition, 'spec.versions', problem);
  }
  const read = versions.map((each: unknown, at) => versionIn(definition, each, at));
  const names = read.map(({ version }) => version.name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return read;
  throw unreadable(definition, 'spec.versions', `has ${JSON.stringify(twice)} twice`);
}

function versionIn(definition: string, value: unknown, at: number): ReadVersion {
  const path = `spec.versions[${at}]`;
  if (!isMapping(value)) throw unreadable(definition, path, 'must be a mapping');
  const name = textIn(definition, `${path}.name`, value.name);
  const schema = isMapping(value.schema) ? value.schema.openAPIV3Schema : undefined;
  if (!isMapping(schema)) {
    throw unreadable(definition, `${path}.schema.openAPIV3Schema`, 'must be a mapping');
  }
  try {
    const version = { name, served: value.served === true, schema: checkedSchema(schema) };
    return { version, storage: value.storage === true };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${definition}: version ${name}: ${error.message}`, {
      cause: error,
    });
  }
}

/** A definition in a file has no status; the one of a cluster has it. */
function storedIn(status: unknown): readonly string[] {
  const stored = isMapping(status) ? status.storedVersions : undefined;
  if (!Array.isArray(stored)) return [];
  return stored.filter((each: unknown): each is string => typeof each === 'string');
}

function textIn(definition: string, path: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw unreadable(definition, path, 'must be a text');
}

function unreadable(definition: string, path: string, problem: string): ConfigurationError {
  return new ConfigurationError(`${definition}: ${path} ${problem}`, { context: { path } });
}
