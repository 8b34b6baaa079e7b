import { isObject, type Json } from '../objects/metadata.ts';

/**
 * The error for an answer with a status other than 200, with the message of Kubernetes' client library
 * (k8s.io/apimachinery, pkg/api/errors/errors.go, NewGenericServerResponse). If the answer is a Status, its
 * own message is used.
 */
export function answerProblem(code: number, contentType: string, text: string): string {
  const status = statusIn(text);
  if (status !== undefined) return String(status.message ?? '');
  const isText = contentType === '' || contentType.startsWith('text/');
  const shown = isText ? text.trim() : 'unknown';
  const words = WORDS[code];
  if (words !== undefined) return words;
  if (SAID.has(code)) return shown;
  return code >= 500
    ? `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`;
}

const WORDS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** The codes for which the message of the client library repeats the text of the answer. */
const SAID: ReadonlySet<number> = new Set([403, 406, 415]);

function statusIn(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && value.kind === 'Status' && value.status === 'Failure'
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}
