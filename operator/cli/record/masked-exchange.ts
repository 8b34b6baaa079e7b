import { goJson } from '../../core/go/go-json.ts';
import { parseYaml } from '../../core/yaml.ts';
import { parseJsonText } from './json-text.ts';
import { maskJson, maskMessage } from './masked-json.ts';
import { withoutCredentials } from './masked-text.ts';
import type { LeftOut, RecordedExchange } from './recorded-exchange.ts';
import type { SecretValues } from './secret-values.ts';

/**
 * An exchange without credentials and without data of Secrets; or why it cannot be recorded. Masking what is masked
 * changes nothing, unless more values are known by then.
 */
export function maskedExchange(
  exchange: RecordedExchange,
  values: SecretValues,
): RecordedExchange | LeftOut {
  const { request, response, ...rest } = exchange;
  if (isToProgram(request.path)) return 'to a program behind the API server';
  values.learnNames(segmentsOf(request.path));
  const isNamed = namesSecrets(request.path);
  const body = maskedRequest(request, isNamed, values);
  if (typeof body === 'string') return body;
  const masked = (text: string): string => maskedAnswer(text, body.hasSecret, values);
  const answer = {
    ...response,
    headers: maskedHeaders(response.headers, ANSWER_HEADERS, values),
    ...(response.body !== undefined && { body: masked(response.body) }),
    ...(response.chunks !== undefined && {
      chunks: response.chunks.map(({ at, data }) => ({
        at,
        data: data.replaceAll(/[^\n]+/g, masked),
      })),
    }),
  };
  const path = maskedPath(request.path, values);
  return {
    ...rest,
    request: {
      method: request.method,
      path,
      headers: maskedHeaders(request.headers, REQUEST_HEADERS, values),
      ...(body.text !== undefined && { body: body.text }),
    },
    response: answer,
  };
}

/** What an answer depends on. Who asks is in a kubeconfig: `Authorization` and cookies are never recorded. */
const REQUEST_HEADERS = [
  'accept',
  'content-type',
  'user-agent',
  'impersonate-user',
  'impersonate-group',
];

const ANSWER_HEADERS = ['content-type', 'retry-after', 'warning'];

interface MaskedBody {
  readonly text?: string;
  readonly hasSecret: boolean;
}

function maskedRequest(
  { headers, body }: RecordedExchange['request'],
  isNamed: boolean,
  values: SecretValues,
): MaskedBody | LeftOut {
  if (body === undefined) return { hasSecret: isNamed };
  const type = headers['content-type'] ?? '';
  if (/protobuf|cbor/i.test(type)) return 'with a body that is neither JSON nor YAML';
  const isYaml = /yaml/i.test(type) && parseJsonText(body) === undefined;
  const json = isYaml ? yamlAsJson(body) : body;
  const masked = json === undefined ? undefined : maskJson(json, isNamed, values);
  const isObject = json !== undefined && OBJECT_OR_OPERATIONS.test(json);
  if (masked !== undefined && (isObject || !isNamed)) return masked;
  if (isNamed || /secret/i.test(body)) return 'with a broken body that may have a Secret';
  return { text: maskedText(body, values), hasSecret: false };
}

/** Matches an object, or a list of operations: secret values are found by their fields. */
const OBJECT_OR_OPERATIONS = /^\s*(?:\{|\[\s*[{\]])/;

/** JSON is YAML: the API server reads it as it would have read `text`. */
function yamlAsJson(text: string): string | undefined {
  try {
    return goJson(parseYaml(text, { exactIntegers: true }));
  } catch {
    return undefined;
  }
}

function maskedAnswer(text: string, hasSecret: boolean, values: SecretValues): string {
  const json = maskJson(text, hasSecret, values);
  if (json !== undefined) return json.text;
  const masked = maskedText(text, values);
  if (!hasSecret) return masked;
  return maskMessage(masked, values);
}

function maskedText(text: string, values: SecretValues): string {
  return withoutCredentials(values.replacerFor(text)(text), values);
}

function maskedHeaders(
  headers: Readonly<Record<string, string>>,
  kept: readonly string[],
  values: SecretValues,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, maskedText(value, values)]];
    }),
  );
}

function maskedPath(path: string, values: SecretValues): string {
  return values
    .replacerFor(path)(path)
    .replaceAll(
      /([?&](?:access_|id_)?token=)([^&]+)/gi,
      (_, before: string, token: string) => before + values.placeholder(token),
    );
}

/** Whether a path is one of Secrets, however it is written. */
function namesSecrets(path: string): boolean {
  const [api, version, ...rest] = segmentsOf(path);
  if (api !== 'api' || version === undefined) return false;
  if (rest[0] === 'watch') rest.shift();
  return rest[0] === 'namespaces' && rest.length > 2
    ? rest[2] === 'secrets'
    : rest[0] === 'secrets';
}

function isToProgram(path: string): boolean {
  return /\/(?:pods|services|nodes)\/[^/]+\/proxy(?:\/|$)/.test(`/${segmentsOf(path).join('/')}`);
}

/** Whether what comes is written by programs in the cluster, and not by the API server: it may have anything. */
export function isOutputOfProgram(path: string): boolean {
  return /^\/(?:logs|metrics|debug)(?:\/|$)|\/pods\/[^/]+\/log$/.test(
    `/${segmentsOf(path).join('/')}`,
  );
}

function segmentsOf(path: string): string[] {
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
