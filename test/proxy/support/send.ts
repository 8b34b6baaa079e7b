import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** How `kubectl proxy` itself refuses: no JSON, no Status. */
export const REFUSED: Answer = {
  status: 403,
  contentType: 'text/plain; charset=utf-8',
  body: 'Forbidden\n',
};

/** Sends a path exactly as it is written; a URL parser would tidy it first. */
export async function send(
  ambassador: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { hostname, port } = new URL(ambassador);
  const sent = request({ hostname, port, method, path, headers, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await text(response);
  return {
    status: response.statusCode,
    contentType: response.headers['content-type'],
    // An answer to HEAD has no body, whatever it says.
    body: method === 'HEAD' && response.statusCode === 403 ? REFUSED.body : body,
  };
}

/**
 * True when kubectl has tidied an encoded path by itself, with a redirect that nobody follows, before
 * its filter saw it: versions before 1.30 do, and builds that keep the rules of an older Go.
 */
export function isTidied(
  line: string,
  { status }: { readonly status: number | undefined },
): boolean {
  return status === 301 && /%(25)?2[ef]/i.test(line);
}
