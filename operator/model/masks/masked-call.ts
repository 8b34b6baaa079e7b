import { goJson } from '../../core/go/go-json.ts';
import { parseYaml } from '../../core/yaml.ts';
import { parseJsonText } from './json-text.ts';
import { maskJson, maskMessage } from './masked-json.ts';
import { withoutCredentials } from './masked-text.ts';
import type { SecretValues } from './secret-values.ts';

/** Why the body of a request cannot be recorded. */
export type UnreadableBody =
  | 'with a body that is neither JSON nor YAML'
  | 'with a broken body that may have a Secret';

interface SentBody {
  readonly contentType?: string | undefined;
  readonly body?: string | undefined;
}

/** The body of a request without secret values. */
export interface MaskedBody {
  readonly text?: string;
  /**
   * True if the body contains a Secret, or if the path of the request refers to Secrets. The answer then also
   * contains Secrets.
   */
  readonly hasSecret: boolean;
}

/**
 * The body of a request without secret values, or the reason why it cannot be recorded.
 *
 * @param isNamed - true if the path of the request refers to Secrets.
 */
export function maskedRequestBody(
  { contentType: type = '', body }: SentBody,
  isNamed: boolean,
  values: SecretValues,
): MaskedBody | UnreadableBody {
  if (body === undefined) return { hasSecret: isNamed };
  if (/protobuf|cbor/i.test(type)) return 'with a body that is neither JSON nor YAML';
  const isYaml = /yaml/i.test(type) && parseJsonText(body) === undefined;
  const json = isYaml ? yamlAsJson(body) : body;
  const masked = json === undefined ? undefined : maskJson(json, isNamed, values);
  const isObject = json !== undefined && OBJECT_OR_OPERATIONS.test(json);
  if (masked !== undefined && (isObject || !isNamed)) return masked;
  if (isNamed || /secret/i.test(body)) return 'with a broken body that may have a Secret';
  return { text: maskedText(body, values), hasSecret: false };
}

/**
 * Matches JSON that is an object, or the list of operations of a JSON patch. Only in such JSON can secret
 * values be found by the names of their fields.
 */
const OBJECT_OR_OPERATIONS = /^\s*(?:\{|\[\s*[{\]])/;

/**
 * Converts YAML to JSON. JSON is valid YAML, and the API server reads the result in the same way as `text`.
 */
function yamlAsJson(text: string): string | undefined {
  try {
    return goJson(parseYaml(text, { exactIntegers: true }));
  } catch {
    return undefined;
  }
}

/** The body of an answer, or one line of a watch, without secret values. */
export function maskedAnswer(text: string, hasSecret: boolean, values: SecretValues): string {
  const json = maskJson(text, hasSecret, values);
  if (json !== undefined) return json.text;
  const masked = maskedText(text, values);
  if (!hasSecret) return masked;
  return maskMessage(masked, values);
}

/** `text` without known secret values and without credentials. */
export function maskedText(text: string, values: SecretValues): string {
  return withoutCredentials(values.withoutValues(text), values);
}

/** Path and query without known secret values and tokens. */
export function maskedPath(path: string, values: SecretValues): string {
  return values
    .withoutValues(path)
    .replaceAll(
      /([?&](?:access_|id_)?token=)([^&]+)/gi,
      (_, before: string, token: string) => before + values.placeholder(token),
    );
}

/** True if a path refers to Secrets, however its characters are percent-encoded. */
export function namesSecrets(path: string): boolean {
  const [api, version, ...rest] = segmentsOf(path);
  if (api !== 'api' || version === undefined) return false;
  if (rest[0] === 'watch') rest.shift();
  return rest[0] === 'namespaces' && rest.length > 2
    ? rest[2] === 'secrets'
    : rest[0] === 'secrets';
}

/**
 * True if the API server passes a request on to a program in the cluster. Body and answer may then contain
 * anything.
 */
export function isToProgram(path: string): boolean {
  return /\/(?:pods|services|nodes)\/[^/]+\/proxy(?:\/|$)/.test(`/${segmentsOf(path).join('/')}`);
}

/**
 * True if the answer to a request is written by programs in the cluster instead of the API server. It may
 * then contain anything.
 */
export function isOutputOfProgram(path: string): boolean {
  return /^\/(?:logs|metrics|debug)(?:\/|$)|\/pods\/[^/]+\/log$/.test(
    `/${segmentsOf(path).join('/')}`,
  );
}

/** The decoded segments of a path. */
export function segmentsOf(path: string): string[] {
  const [place = ''] = path.split('?', 1);
  return place
    .split('/')
    .map(decoded)
    .filter((segment) => segment !== '');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
