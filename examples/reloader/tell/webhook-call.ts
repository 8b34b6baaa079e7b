/** One call of the webhook, and its body. */
import type { Clock } from 'chancery';
import { type ResourceRef, refKey } from '../contract/resource-type.ts';
import { isRedirect, PostError, post, redirectRefused } from './http-post.ts';

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
  /** For the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** A CloudEvent in place of the body of the original. */
  readonly cloudEvents: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Calls the webhook once. A redirect is not followed: its target is named by the server, and could be the ambassador,
 * which sends requests with the rights of this operator.
 *
 * @returns the status of the answer, whatever it is, except for a redirect.
 * @throws PostError when no answer arrives, and for a redirect.
 */
export async function sendChange(
  change: WebhookChange,
  { url, cloudEvents, clock, ...limits }: WebhookCall,
): Promise<number> {
  const message = cloudEvents ? cloudEvent(change, clock.now()) : ORIGINAL;
  const { status } = await post({ ...message, url: new URL(url), clock, ...limits });
  if (isRedirect(status)) throw new PostError(redirectRefused(status));
  return status;
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
