import { systemClock } from 'chancery/internal-objects';
import { badRequest, failure } from '../../failures/failure.ts';
import type { Exchange } from './exchange.ts';

/** The maximum size of a body in bytes (`MaxRequestBodyBytes`). */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The time limit of a request on a real server (`--request-timeout`). */
const DEFAULT_BODY_TIMEOUT_MS = 60_000;

/** The body of a request. */
export class RequestBody {
  readonly bytes: Buffer;
  #text: string | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get text(): string {
    this.#text ??= this.bytes.toString('utf8');
    return this.#text;
  }
}

/**
 * Reads the whole body of a request.
 *
 * @throws ApiError 413 for a body over 3 MiB, 504 for a body that takes too long. The connection is closed in
 * both cases, because otherwise the unread rest of the body would come before the next request.
 */
export function readBody(exchange: Exchange): Promise<RequestBody> {
  const { request, response } = exchange;
  const timeoutMs = exchange.bodyTimeoutMs ?? DEFAULT_BODY_TIMEOUT_MS;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (): void => {
      cancel();
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
    };
    const refuse = (why: Error): void => {
      settle();
      // With HTTP/2, every request has its own stream, so the connection can stay open.
      if (!response.headersSent && !exchange.isHttp2) response.setHeader('connection', 'close');
      reject(why);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_BODY_BYTES) refuse(tooLarge());
    };
    const onEnd = (): void => {
      settle();
      resolve(new RequestBody(Buffer.concat(chunks)));
    };
    const onError = (error: Error): void => refuse(error);
    const onClose = (): void => refuse(badRequest('unexpected EOF'));
    // Uses the system clock, because a test that speeds up its own clock does not speed up the
    // network.
    const cancel = systemClock.schedule(timeoutMs, () => refuse(tooSlow()));
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

function tooLarge(): Error {
  return failure({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
  });
}

function tooSlow(): Error {
  return failure({
    code: 504,
    reason: 'Timeout',
    message: 'Timeout: request did not complete within the allotted timeout',
    details: {},
  });
}
