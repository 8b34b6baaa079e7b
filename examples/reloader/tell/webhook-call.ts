/** One call of the webhook: its body, and the redirects that it follows. */
import type { Clock } from 'chancery';
import { type ResourceRef, refKey } from '../contract/resource-type.ts';
import { PostError, post } from './http-post.ts';

/** A resource that has changed. */
export interface WebhookChange extends ResourceRef {
  readonly namespace: string;
  readonly action: 'created' | 'updated' | 'deleted';
  /** Its resourceVersion; empty when it is gone. */
  readonly version: string;
}

export interface WebhookCall {
  /** It may contain a token: no error has it. */
  readonly url: string;
  /** For each answer, in milliseconds. */
  readonly timeoutMs: number;
  /** A CloudEvent in place of the body of the original. */
  readonly cloudEvents: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** As the HTTP client of Go follows them (net/http, `Client.CheckRedirect`). */
const MAX_REDIRECTS = 10;

/**
 * Calls the webhook and follows its redirects: 307 and 308 repeat the POST, and 301, 302 and 303 become a GET, as for
 * browsers. A redirect to another scheme is not followed.
 *
 * @returns the status of the last answer, whatever it is.
 * @throws PostError when no answer arrives, or the redirects have no end or no usable target.
 */
export async function sendChange(
  change: WebhookChange,
  { url: text, cloudEvents, clock, ...limits }: WebhookCall,
): Promise<number> {
  const message = cloudEvents ? cloudEvent(change, clock.now()) : ORIGINAL;
  let url = new URL(text);
  let method: 'POST' | 'GET' = 'POST';
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { status, location } = await post({ ...message, method, url, clock, ...limits });
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return status;
    const next = URL.parse(location, url.href);
    if (next?.protocol !== url.protocol) throw new PostError('the webhook redirects elsewhere');
    if (status < 307) method = 'GET';
    url = next;
  }
  throw new PostError(`the webhook redirects more than ${MAX_REDIRECTS} times`);
}

interface Message {
  readonly contentType: string;
  readonly body: string;
}

/** The body of the original: it names nothing. */
const ORIGINAL: Message = {
  contentType: 'application/json',
  body: '{"webhook":"update successful"}',
};

/**
 * A CloudEvent in structured mode (CloudEvents 1.0.2, HTTP binding, section 3.2). It names the resource and has
 * nothing of its content, not even a hash. A call that is repeated has the same id, so that the receiver can drop it.
 */
function cloudEvent(change: WebhookChange, nowMs: number): Message {
  const { type, name, namespace, action, version } = change;
  const subject = `${namespace}/${refKey(change)}`;
  const event = {
    specversion: '1.0',
    id: [subject, action, version === '' ? nowMs : version].join('/'),
    source: '/chancery/reloader',
    type: `dev.chancery.reloader.resource.${action}`,
    subject,
    time: new Date(nowMs).toISOString(),
    datacontenttype: 'application/json',
    data: { type, name, namespace, action },
  };
  return { contentType: 'application/cloudevents+json', body: JSON.stringify(event) };
}
