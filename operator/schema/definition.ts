import { ConfigurationError } from '../core/errors.ts';
import { isMapping, type Mapping } from '../core/mapping.ts';
import { boundedText } from '../core/text/visible-text.ts';
import { type CheckedSchema, checkedSchema } from './checked-schema.ts';

/** One version of a definition, with the fields that the check of an upgrade compares. */
export interface CheckedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema: CheckedSchema;
  readonly hasStatus: boolean;
  /** The paths of the subresource `scale`; undefined when the version does not have this subresource. */
  readonly scale: Mapping | undefined;
  /** Paths of fields, such as `.spec.host`. */
  readonly selectableFields: readonly string[];
}

/** A CustomResourceDefinition, with the fields that the check of an upgrade compares. */
export interface CheckedDefinition {
  /** The name of the definition, such as `shops.example.com`. */
  readonly name: string;
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: string;
  /** True if fields without a schema are kept, as before apiextensions.k8s.io/v1. */
  readonly preservesUnknownFields: boolean;
  readonly versions: readonly CheckedVersion[];
  /** The versions in which the API server has stored objects, and the current storage version. */
  readonly storedVersions: readonly string[];
  /**
   * The version in which the API server stores objects from now on; undefined if no version has
   * `storage: true`.
   */
  readonly storageVersion: string | undefined;
  readonly hasConversionWebhook: boolean;
  /**
   * How objects are converted: `None`, or the strategy, the versions and the address of a webhook,
   * without certificates.
   */
  readonly conversion: unknown;
}

/**
 * Maximum number of versions of a definition. No real definition has so many. The limit bounds the work,
 * because every served version is compared with every other served version.
 */
const MAX_VERSIONS = 50;

/** Maximum number of characters of a value in a message. */
const GIVEN_CHARS = 600;

/** True for a CustomResourceDefinition of any apiVersion. */
export function isDefinition(value: unknown): value is Mapping {
  return isMapping(value) && value.kind === 'CustomResourceDefinition';
}

/**
 * Reads a CustomResourceDefinition, which may come from any tool. It does not check whether the API server
 * would accept it.
 *
 * @throws ConfigurationError `CONFIG` when the definition has another apiVersion, or a field that cannot be
 *   compared. The message contains the name of the definition and the field.
 */
export function checkedDefinition(value: Mapping): CheckedDefinition {
  const name = isMapping(value.metadata) ? value.metadata.name : undefined;
  if (typeof name !== 'string' || name === '') {
    throw new ConfigurationError('a CustomResourceDefinition has no metadata.name');
  }
  if (value.apiVersion !== 'apiextensions.k8s.io/v1') {
    const given = boundedText(JSON.stringify(value.apiVersion) ?? 'nothing', GIVEN_CHARS);
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
    ...namesIn(name, spec.names),
    scope: textIn(name, 'spec.scope', spec.scope),
    preservesUnknownFields: spec.preserveUnknownFields === true,
    versions: versions.map(({ version }) => version),
    storageVersion: versions.find(({ storage }) => storage)?.version.name,
    storedVersions: [
      ...new Set([
        ...versions.filter(({ storage }) => storage).map(({ version }) => version.name),
        ...storedIn(status),
      ]),
    ],
    ...conversionIn(name, spec.conversion),
  };
}

type Names = Pick<
  CheckedDefinition,
  'kind' | 'listKind' | 'singular' | 'shortNames' | 'categories'
>;

/**
 * The names in a definition. If `listKind` or `singular` is omitted, it gets the same value as in the API
 * server.
 */
function namesIn(definition: string, names: unknown): Names {
  const given = mappingIn(definition, 'spec.names', names) ?? {};
  const kind = textIn(definition, 'spec.names.kind', given.kind);
  return {
    kind,
    listKind: textIn(definition, 'spec.names.listKind', given.listKind || `${kind}List`),
    singular: textIn(definition, 'spec.names.singular', given.singular || kind.toLowerCase()),
    shortNames: textsIn(definition, 'spec.names.shortNames', given.shortNames),
    categories: textsIn(definition, 'spec.names.categories', given.categories),
  };
}

type Conversion = Pick<CheckedDefinition, 'hasConversionWebhook' | 'conversion'>;

/**
 * How objects are converted, without the certificate, which may be renewed and is often added in the cluster.
 */
function conversionIn(definition: string, conversion: unknown): Conversion {
  const { strategy = 'None', webhook } = mappingIn(definition, 'spec.conversion', conversion) ?? {};
  if (strategy !== 'Webhook') return { hasConversionWebhook: false, conversion: 'None' };
  const path = 'spec.conversion.webhook';
  const { clientConfig, conversionReviewVersions } = mappingIn(definition, path, webhook) ?? {};
  const client = mappingIn(definition, `${path}.clientConfig`, clientConfig) ?? {};
  const { service, url } = client;
  const served = mappingIn(definition, `${path}.clientConfig.service`, service);
  const where =
    served === undefined ? { url } : { service: { port: 443, ...withoutNulls(served) } };
  return {
    hasConversionWebhook: true,
    conversion: { strategy, conversionReviewVersions, ...where },
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
    const version = {
      ...{ name, served: value.served === true, schema: withNames(checkedSchema(schema)) },
      ...subresourcesIn(definition, path, value.subresources),
      selectableFields: selectableIn(
        definition,
        `${path}.selectableFields`,
        value.selectableFields,
      ),
    };
    return { version, storage: value.storage === true };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${definition}: version ${name}: ${error.message}`, {
      cause: error,
    });
  }
}

/**
 * Adds `metadata.name` and `metadata.generateName` to a schema, because every object has them even if the
 * schema does not declare them. If a new version of the schema begins to declare them, this does not count as
 * a new field.
 */
function withNames(schema: CheckedSchema): CheckedSchema {
  const properties = isMapping(schema.properties) ? schema.properties : {};
  const metadata = isMapping(properties.metadata) ? properties.metadata : {};
  const fields = isMapping(metadata.properties) ? metadata.properties : {};
  const text = { type: 'string' };
  const names = { name: text, generateName: text, ...fields };
  return {
    ...schema,
    properties: { ...properties, metadata: { type: 'object', ...metadata, properties: names } },
  };
}

function subresourcesIn(
  definition: string,
  path: string,
  subresources: unknown,
): Pick<CheckedVersion, 'hasStatus' | 'scale'> {
  const own = `${path}.subresources`;
  const { status, scale } = mappingIn(definition, own, subresources) ?? {};
  return {
    hasStatus: mappingIn(definition, `${own}.status`, status) !== undefined,
    scale: withoutNulls(mappingIn(definition, `${own}.scale`, scale)),
  };
}

/** `mapping` without fields that are null. The API server treats such a field as omitted. */
function withoutNulls<T extends Mapping | undefined>(mapping: T): T | Mapping {
  if (mapping === undefined) return mapping;
  return Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== null));
}

function selectableIn(definition: string, path: string, fields: unknown): readonly string[] {
  return listIn(definition, path, fields).map((each, at) => {
    const field = mappingIn(definition, `${path}[${at}]`, each) ?? {};
    return textIn(definition, `${path}[${at}].jsonPath`, field.jsonPath);
  });
}

/** Returns `value`, which must be a mapping. Undefined for a field that is omitted or null. */
function mappingIn(definition: string, path: string, value: unknown): Mapping | undefined {
  if (value === undefined || value === null) return undefined;
  if (isMapping(value)) return value;
  throw unreadable(definition, path, 'must be a mapping');
}

function listIn(definition: string, path: string, value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw unreadable(definition, path, 'must be a list');
}

function textsIn(definition: string, path: string, value: unknown): readonly string[] {
  return listIn(definition, path, value).map((each, at) =>
    textIn(definition, `${path}[${at}]`, each),
  );
}

/**
 * The versions in which objects are stored, from the status. Only a definition that was read from a cluster
 * has a status.
 */
function storedIn(status: unknown): readonly string[] {
  const stored = isMapping(status) ? status.storedVersions : undefined;
  if (!Array.isArray(stored)) return [];
  return stored.filter((each: unknown): each is string => typeof each === 'string');
}

function textIn(definition: string, path: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw unreadable(definition, path, 'must be a string');
}

function unreadable(definition: string, path: string, problem: string): ConfigurationError {
  return new ConfigurationError(`${definition}: ${path} ${problem}`, { context: { path } });
}
