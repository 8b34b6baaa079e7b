import { ConfigurationError, messageOf } from 'chancery';
import { isMapping } from 'chancery/internal';
import { parseYamlDocuments } from 'chancery/low-level';
import { type Fields, fieldsAt, listAt, textAt } from './fields.ts';

/** An object in `manifests/`. */
export interface BundleObject {
  /** Path relative to the folder of the bundle. */
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly fields: Fields;
}

/** An OLM bundle in the format `registry+v1`. */
export interface Bundle {
  readonly csv: BundleObject;
  /** All objects except the ClusterServiceVersion. */
  readonly objects: readonly BundleObject[];
  /** The annotations in `metadata/annotations.yaml`. */
  readonly annotations: Fields;
  /** The dependencies in `metadata/dependencies.yaml`. */
  readonly dependencies: readonly unknown[];
  /** The properties in `metadata/properties.yaml`. */
  readonly properties: readonly unknown[];
  readonly files: ReadonlyMap<string, string>;
  /** Files with more than one document. OLM reads only the first document. */
  readonly filesOfSeveral: readonly string[];
}

export const ANNOTATIONS_FILE = 'metadata/annotations.yaml';
export const DEPENDENCIES_FILE = 'metadata/dependencies.yaml';
export const PROPERTIES_FILE = 'metadata/properties.yaml';
const MANIFESTS = 'manifests/';

/**
 * Reads the files of a bundle.
 *
 * @param files - the text of each file, keyed by its path relative to the folder of the bundle,
 * with `/` as the separator.
 * @throws ConfigurationError `CONFIG` when the files are not a bundle: a file is not YAML or
 * contains no object, or there is not exactly one ClusterServiceVersion.
 */
export function bundleOf(files: ReadonlyMap<string, string>): Bundle {
  const read = [...files.keys()]
    .filter(isManifest)
    .sort()
    .map((file) => objectsIn(file, files));
  const objects = read.flatMap(([first]) => (first === undefined ? [] : [first]));
  const [csv, ...others] = objects.filter(({ kind }) => kind === 'ClusterServiceVersion');
  if (csv === undefined) {
    throw new ConfigurationError(
      `no bundle: no file in ${MANIFESTS} is a ClusterServiceVersion; name the folder that contains ${MANIFESTS}`,
    );
  }
  if (others.length > 0) {
    const named = [csv, ...others].map(({ file }) => file).join(' and ');
    throw new ConfigurationError(`a bundle has one ClusterServiceVersion, and there are ${named}`);
  }
  return {
    csv,
    objects: objects.filter((object) => object !== csv),
    annotations: fieldsAt(documentsIn(ANNOTATIONS_FILE, files)[0], 'annotations'),
    dependencies: listAt(documentsIn(DEPENDENCIES_FILE, files)[0], 'dependencies'),
    properties: listAt(documentsIn(PROPERTIES_FILE, files)[0], 'properties'),
    files,
    filesOfSeveral: read.filter(({ length }) => length > 1).map(([first]) => first?.file ?? ''),
  };
}

/**
 * True for files directly in `manifests/` that are not hidden. The rule `layout` reports other
 * files.
 */
export function isManifest(file: string): boolean {
  return file.startsWith(MANIFESTS) && /^[^./][^/]*$/.test(file.slice(MANIFESTS.length));
}

function objectsIn(file: string, files: ReadonlyMap<string, string>): readonly BundleObject[] {
  const documents = documentsIn(file, files);
  if (documents.length === 0) throw new ConfigurationError(`${file} contains no object`);
  return documents.map((fields) => {
    const [apiVersion, kind] = [textAt(fields, 'apiVersion'), textAt(fields, 'kind')];
    if (!isMapping(fields) || kind === '') {
      throw new ConfigurationError(`${file} contains no object: it has no kind`);
    }
    return { file, apiVersion, kind, name: textAt(fields, 'metadata', 'name'), fields };
  });
}

function documentsIn(file: string, files: ReadonlyMap<string, string>): readonly unknown[] {
  try {
    return parseYamlDocuments(files.get(file) ?? '');
  } catch (error) {
    throw new ConfigurationError(`${file}: ${messageOf(error)}`, { cause: error });
  }
}
