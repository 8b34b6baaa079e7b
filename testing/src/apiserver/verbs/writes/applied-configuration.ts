import { apiVersionOf, duplicateYamlKeys, parseYaml } from 'chancery/internal-objects';
import { badRequest } from '../../failures/failure.ts';
import { GoDepthError, type GoJson, GoSyntaxError, parseGoJson } from '../../objects/go-json.ts';
import { rebuildJson } from '../../objects/json-walk.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { goYamlProblem } from './go-yaml-problem.ts';

/** The fields of a configuration that identify the object. A field is '' if it is absent or not a string. */
export interface AppliedIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export function identityOf({ metadata }: Json): AppliedIdentity {
  const text = (field: string): string => {
    const value = isObject(metadata) ? metadata[field] : undefined;
    return typeof value === 'string' ? value : '';
  };
  return {
    name: text('name'),
    namespace: text('namespace'),
    uid: text('uid'),
    resourceVersion: text('resourceVersion'),
  };
}

/**
 * The configuration in the body of an apply.
 *
 * @throws ApiError 400 for a body that is not YAML, or not an object of this kind and version.
 */
export function readApplied(
  text: string,
  served: Pick<ServedResource, 'group' | 'version' | 'kind'>,
): Json {
  const value = decoded(text);
  const found = kindText(value);
  if (found !== kindText({ apiVersion: apiVersionOf(served), kind: served.kind })) {
    throw badRequest(`invalid object type: ${found}`);
  }
  const managedFields = isObject(value.metadata) ? value.metadata.managedFields : undefined;
  if (managedFields !== undefined && managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  return value;
}

function decoded(text: string): Json {
  let value: unknown;
  try {
    value = jsonValue(text) ?? parseYaml(firstDocument(text), { exactIntegers: true });
  } catch (error) {
    if (error instanceof GoDepthError) throw badRequest(`error decoding YAML: ${error.message}`);
    throw badRequest(
      `error decoding YAML: error converting YAML to JSON: yaml: ${goYamlProblem(text, error)}`,
    );
  }
  if (value === null || value === undefined) return {};
  if (isObject(value)) return value;
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
  );
}

/**
 * Parses JSON without the YAML reader, because that reader treats a number outside of float64 as a string.
 */
function jsonValue(text: string): unknown {
  const json = jsonOf(text);
  if (json?.overflow === undefined) return json?.value;
  const { overflow } = json;
  return rebuildJson(json.value, {
    scalar: (leaf) => (typeof leaf === 'number' && !Number.isFinite(leaf) ? overflow : leaf),
  });
}

/** The first document of a stream. The server ignores all further documents. */
function firstDocument(text: string): string {
  const lines = text.split(/(?<=\n)/);
  const begin = lines.findIndex((line) => !/^(?:(?:---|\.\.\.)?\s*$|[#%])/.test(line));
  const end = lines.findIndex((line, at) => at > begin && /^(?:---|\.\.\.)(?:\s|$)/.test(line));
  return begin < 0 || end < 0 ? text : lines.slice(0, end).join('');
}

/** A kind as Go prints it; empty if the version has more than one slash. */
function kindText({ apiVersion, kind }: Json): string {
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  const parts = version === '/' ? [''] : version.split('/');
  if (parts.length > 2) return '/, Kind=';
  const [first = '', second] = parts;
  const groupVersion = second === undefined ? `/${first}` : `${first}/${second}`;
  return `${groupVersion}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

/**
 * Parses a configuration that is JSON, as most configurations are; undefined if it is not JSON. JSON is also
 * valid YAML.
 *
 * @throws GoDepthError for JSON that is nested too deeply. The YAML reader would not refuse it.
 */
function jsonOf(text: string): GoJson | undefined {
  try {
    return parseGoJson(text);
  } catch (error) {
    if (error instanceof GoSyntaxError && !(error instanceof GoDepthError)) return undefined;
    throw error;
  }
}

/**
 * Reports duplicate keys of a map, as `fieldValidation` demands.
 *
 * @throws ApiError 400 for duplicate keys when `fieldValidation` is `Strict`.
 */
export function reportDuplicates(
  text: string,
  { fieldValidation, warn }: { readonly fieldValidation: string; warn(text: string): void },
): void {
  if (fieldValidation !== 'Strict' && fieldValidation !== 'Warn') return;
  if (jsonOf(text)?.duplicates.length === 0) return;
  const lines = duplicateYamlKeys(text).map(
    ({ line, key }) => `line ${line}: key ${JSON.stringify(key)} already set in map`,
  );
  if (lines.length === 0) return;
  if (fieldValidation === 'Warn') for (const line of lines) warn(line);
  else {
    const list = lines.map((line) => `\n  ${line}`).join('');
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${list}`,
    );
  }
}
