import { gzipSync } from 'node:zlib';
import { ConfigurationError } from 'chancery';
import type { CustomResourceDefinition, ManifestFile, StructuralSchema } from 'chancery/internal';

/** OLM stores a bundle in compressed form in one object. This is the size limit of an object. */
const MAX_BYTES = 1024 * 1024;

/**
 * Maximum size that is generated. It has a margin below the limit, because OLM compresses slightly
 * differently.
 */
const WANTED_BYTES = 0.85 * MAX_BYTES;

/**
 * The files of a bundle, including the files of the definitions. If all files together are too
 * large for OLM, the descriptions are removed from the schemas of the definitions, because
 * descriptions are most of a large bundle.
 *
 * @throws ConfigurationError `CONFIG` when the files are too large even without descriptions.
 */
export function withinLimit(
  files: readonly ManifestFile[],
  definitions: readonly CustomResourceDefinition[],
  fileOf: (definition: CustomResourceDefinition) => ManifestFile,
): readonly ManifestFile[] {
  const whole = [...files, ...definitions.map(fileOf)];
  if (compressedBytes(whole) <= WANTED_BYTES) return whole;
  const short = [...files, ...definitions.map((each) => fileOf(withoutDescriptions(each)))];
  const bytes = compressedBytes(short);
  if (bytes <= MAX_BYTES) return short;
  throw new ConfigurationError(
    `the bundle has ${bytes} bytes when it is compressed, and OLM takes ${MAX_BYTES}: split the definitions or the ` +
      'mounted folder into packages of their own',
  );
}

function compressedBytes(files: readonly ManifestFile[]): number {
  const manifests = files.filter(({ path }) => path.startsWith('manifests/'));
  return gzipSync(manifests.map(({ text }) => text).join('')).length;
}

function withoutDescriptions(definition: CustomResourceDefinition): CustomResourceDefinition {
  const versions = definition.spec.versions.map((version) => {
    const openAPIV3Schema = undescribed(version.schema.openAPIV3Schema) as StructuralSchema;
    return { ...version, schema: { openAPIV3Schema } };
  });
  return { ...definition, spec: { ...definition.spec, versions } };
}

/**
 * Keywords whose value is not a schema. A field `description` in such a value is not the
 * description of a schema, so it must be kept.
 */
const VALUES: ReadonlySet<string> = new Set([
  'default',
  'enum',
  'example',
  'x-kubernetes-validations',
]);

/**
 * The keyword whose value maps names of properties to schemas. A property may also have the name
 * `description`.
 */
const NAMES = 'properties';

function undescribed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(undescribed);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === 'description') return [];
      if (VALUES.has(key)) return [[key, value]];
      return [[key, key === NAMES ? eachUndescribed(value) : undescribed(value)]];
    }),
  );
}

function eachUndescribed(properties: object): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, undescribed(schema)]),
  );
}
