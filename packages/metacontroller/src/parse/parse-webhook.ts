import { isDnsSubdomain, parseGoDuration } from 'chancery/internal';
import type { EndpointFields, WebhookFields } from '../definitions/controller-object.ts';
import type { ConnectionSpec, WebhookSpec } from '../spec.ts';
import { refuse, shown } from './invalid-spec.ts';
import { hasConnection, parseConnection } from './parse-connection.ts';

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * The address and the options of a webhook.
 *
 * @param path - the path of the webhook.
 * @throws InvalidSpecError.
 */
export function parseWebhook(
  webhook: WebhookFields,
  path: string,
  endpoints: readonly EndpointFields[],
): WebhookSpec {
  const url = urlOf(webhook, path);
  const etag = etagOf(webhook);
  return {
    url,
    timeoutMs: timeoutOf(webhook, `${path}.timeout`),
    ...(etag !== undefined && { etag }),
    connection: hasConnection(webhook)
      ? parseConnection(webhook, path)
      : endpointConnection(url, endpoints),
  };
}

/** The URL of a webhook. `url` takes precedence over `service` and `path`. */
function urlOf({ url, service, path: at }: WebhookFields, path: string): string {
  if (url !== undefined) return httpUrl(url, `${path}.url`);
  if (service === undefined || at === undefined) {
    return refuse(path, 'expected either url, or service and path');
  }
  const { name, namespace, port = 80, protocol = 'http' } = service;
  for (const [field, text] of Object.entries({ name, namespace })) {
    if (!isDnsSubdomain(text)) {
      refuse(`${path}.service.${field}`, `expected a name as in DNS, got ${shown(text)}`);
    }
  }
  if (port < 1 || port > 65_535) {
    refuse(`${path}.service.port`, `expected a number from 1 to 65535, got ${port}`);
  }
  if (!/^https?$/i.test(protocol)) {
    refuse(`${path}.service.protocol`, `expected http or https, got ${shown(protocol)}`);
  }
  if (!/^(?:[/?]|$)/.test(at))
    refuse(`${path}.path`, `expected a path such as /sync, got ${shown(at)}`);
  return httpUrl(`${protocol}://${name}.${namespace}:${port}${at}`, `${path}.path`);
}

/**
 * A checked URL. It is returned unchanged, so that messages and metrics contain it as its author
 * wrote it.
 */
function httpUrl(text: string, path: string): string {
  if (/^https?:\/\/[^/?#]/i.test(text) && URL.canParse(text) && hasReadableUser(text)) return text;
  // The message does not quote the URL, because it may contain a password.
  return refuse(path, 'expected a URL such as http://hooks.shop:8080/sync');
}

/** True when user and password can be decoded, because they are sent decoded. */
function hasReadableUser(text: string): boolean {
  const { username, password } = new URL(text);
  return [username, password].every(isDecodable);
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** The time limit. Zero or less counts as missing. */
function timeoutOf({ timeout }: WebhookFields, path: string): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT_MS;
  const isNegative = timeout.startsWith('-');
  const ms = parseGoDuration(isNegative ? timeout.slice(1) : timeout);
  if (ms === undefined) {
    return refuse(path, `expected a duration such as 10s or 1m30s, got ${shown(timeout)}`);
  }
  return isNegative || ms === 0 ? DEFAULT_TIMEOUT_MS : ms;
}

function etagOf({ etag }: WebhookFields): WebhookSpec['etag'] {
  if (etag?.enabled !== true) return undefined;
  return {
    cacheTimeoutMs: positiveMs(etag.cacheTimeoutSeconds),
    cacheCleanupMs: positiveMs(etag.cacheCleanupSeconds),
  };
}

/**
 * The milliseconds of a time limit. Undefined for a missing value, and for zero or less: both mean
 * no limit.
 */
function positiveMs(seconds: number | undefined): number | undefined {
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1_000;
}

/** The connection settings of the endpoint that matches the URL. Only that endpoint is checked. */
function endpointConnection(url: string, endpoints: readonly EndpointFields[]): ConnectionSpec {
  const hosts = hostsOf(url);
  const at = endpoints.findIndex(({ host }) => hosts.includes(host.toLowerCase()));
  const endpoint = endpoints[at];
  return endpoint === undefined ? {} : parseConnection(endpoint, `spec.endpointConfigs[${at}]`);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/**
 * The names under which an endpoint can refer to the host of a URL: with the port, and also without
 * the port if it is the default. They are taken from the text, because `URL` rewrites some hosts.
 */
function hostsOf(url: string): readonly string[] {
  const match = /^(https?):\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^:/?#]*)(?::([0-9]*))?/i.exec(url);
  const [, scheme = '', host = '', port = ''] = match?.map((part) => part?.toLowerCase()) ?? [];
  const standard = DEFAULT_PORTS[scheme];
  if (port !== '' && port !== standard) return [`${host}:${port}`];
  return [host, `${host}:${standard}`];
}
