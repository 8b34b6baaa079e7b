import {
  isToProgram,
  maskedAnswer,
  maskedPath,
  maskedRequestBody,
  maskedText,
  namesSecrets,
  segmentsOf,
} from '../../model/masks/masked-call.ts';
import type { SecretValues } from '../../model/masks/secret-values.ts';
import type { Omission, RecordedExchange } from './recorded-exchange.ts';

/**
 * An exchange without credentials and without data of Secrets, or the reason why it cannot be
 * recorded. Masking it again changes nothing, unless more secret values are known by then.
 */
export function maskedExchange(
  exchange: RecordedExchange,
  values: SecretValues,
): RecordedExchange | Omission {
  const { request, response, ...rest } = exchange;
  if (isToProgram(request.path)) return 'to a program behind the API server';
  values.learnNames(segmentsOf(request.path));
  const isNamed = namesSecrets(request.path);
  const sent = { contentType: request.headers['content-type'], body: request.body };
  const body = maskedRequestBody(sent, isNamed, values);
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

/** Request headers on which an answer depends. `Authorization` and cookies are never recorded. */
const REQUEST_HEADERS = [
  'accept',
  'content-type',
  'user-agent',
  'impersonate-user',
  'impersonate-group',
];

const ANSWER_HEADERS = ['content-type', 'retry-after', 'warning'];

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
