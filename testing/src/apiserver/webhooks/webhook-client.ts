import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock } from 'chancery';
import { parseGoJson } from '../objects/go-json.ts';
import { jsonText } from '../objects/json-text.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import { answerProblem } from './answer-problem.ts';
import { connectionProblem } from './connection-problem.ts';

/** The address of a webhook: `clientConfig` of a webhook configuration or of a definition. */
export interface WebhookAddress {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** Trusted certificate authorities in PEM, encoded in base64. */
  readonly caBundle?: string;
}

/** The error for a failed call of a webhook or an invalid answer, with kube-apiserver's message. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** The maximum size of an answer. Larger answers are refused. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Calls webhooks like kube-apiserver (k8s.io/apiserver, pkg/util/webhook/client.go): sends JSON by POST over
 * HTTP/1.1, and checks the certificate of each webhook against its `caBundle`. Unlike kube-apiserver, also
 * accepts plain `http`.
 */
export class WebhookClient {
  readonly #services: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #hasService: (namespace: string, name: string) => boolean;

  /** @param services - URLs, keyed by `NAMESPACE/NAME` or `NAMESPACE/NAME:PORT`. */
  constructor(
    services: Readonly<Record<string, string>>,
    clock: Clock,
    hasService: (namespace: string, name: string) => boolean,
  ) {
    this.#services = services;
    this.#clock = clock;
    this.#hasService = hasService;
  }

  /**
   * Sends a review.
   * @returns the JSON object in an answer with the status 200.
   *
   * @param timeoutMs - the time limit on the server's clock. It is also sent to the webhook, in the query.
   * @throws WebhookError for any other answer, and when there is no answer.
   */
  async post(address: WebhookAddress, review: Json, timeoutMs: number): Promise<Json> {
    const { shown, target, servername } = this.#resolve(address, timeoutMs);
    try {
      const answer = await this.#exchange(target, servername, address, review, timeoutMs);
      return decoded(answer);
    } catch (error) {
      if (error instanceof WebhookError) throw error;
      const why = connectionProblem(error, target, servername ?? target.hostname);
      throw new WebhookError(`Post ${JSON.stringify(shown)}: ${why}`);
    }
  }

  #resolve(
    { url, service }: WebhookAddress,
    timeoutMs: number,
  ): { shown: string; target: URL; servername: string | undefined } {
    const query = `?timeout=${Math.ceil(timeoutMs / 1000)}s`;
    if (service === undefined) {
      if (!url) throw new WebhookError('webhook configuration must have either service or URL');
      const target = new URL(url + query);
      return { shown: target.href, target, servername: undefined };
    }
    const { namespace, name, port = 443 } = service;
    const path = `/${(service.path ?? '').replace(/^\//, '')}`;
    const host = `${name}.${namespace}.svc`;
    const shown = `https://${host}:${port}${path}${query}`;
    const key = `${namespace}/${name}`;
    const base = this.#services[`${key}:${port}`] ?? this.#services[key];
    if (base === undefined) {
      const why = this.#hasService(namespace, name)
        ? `no endpoints available for service ${JSON.stringify(name)}`
        : `service ${JSON.stringify(name)} not found`;
      throw new WebhookError(`Post ${JSON.stringify(shown)}: ${why}`);
    }
    const target = new URL(path + query, base.includes('://') ? base : `https://${base}`);
    return { shown, target, servername: host };
  }

  async #exchange(
    target: URL,
    servername: string | undefined,
    { caBundle }: WebhookAddress,
    review: Json,
    timeoutMs: number,
  ): Promise<Answer> {
    const body = Buffer.from(jsonText(review));
    const headers = {
      accept: 'application/json, */*',
      'content-type': 'application/json',
      'content-length': body.length,
      'user-agent': 'kube-apiserver-admission',
      ...(servername === undefined ? {} : { host: servername }),
    };
    const isSecure = target.protocol === 'https:';
    const { request } = isSecure
      ? process.getBuiltinModule('node:https')
      : process.getBuiltinModule('node:http');
    const tls = isSecure
      ? {
          ...(servername === undefined ? {} : { servername }),
          ...(caBundle ? { ca: Buffer.from(caBundle, 'base64') } : {}),
        }
      : {};
    const sent = request(target, { method: 'POST', agent: false, headers, ...tls });
    let isLate = false;
    const cancel = this.#clock.schedule(timeoutMs, () => {
      isLate = true;
      sent.destroy();
    });
    try {
      return await answerTo(sent, body);
    } catch (error) {
      throw isLate ? new Error('context deadline exceeded', { cause: error }) : error;
    } finally {
      cancel();
      sent.destroy();
    }
  }
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

function answerTo(sent: ClientRequest, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      textOf(response).then(
        (text) =>
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers['content-type'] ?? '',
            text,
          }),
        reject,
      );
    });
    sent.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      throw new WebhookError(`the answer of the webhook has more than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function decoded({ status, contentType, text }: Answer): Json {
  if (status < 200 || status > 206)
    throw new WebhookError(answerProblem(status, contentType, text));
  if (text === '') {
    throw new WebhookError(
      `0-length response with status code: ${status} and content type: ${contentType}`,
    );
  }
  let value: unknown;
  try {
    value = parseGoJson(text).value;
  } catch (error) {
    throw new WebhookError(
      `couldn't get version/kind; json parse error: ${(error as Error).message}`,
    );
  }
  if (!isObject(value)) {
    throw new WebhookError("couldn't get version/kind; json parse error: not an object");
  }
  if (!value.kind) throw new WebhookError(`Object 'Kind' is missing in '${text.trim()}'`);
  return value;
}
